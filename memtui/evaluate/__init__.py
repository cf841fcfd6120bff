"""Evaluation: labelled cases, and what every recall of them is worth.

``cases`` reads the cases, ``pools`` opens what they are asked in, ``run`` asks, ``metrics`` counts;
``record``, ``report`` and ``junit`` say it as JSON, text and XML; ``deltas`` compares two runs;
``longmemeval`` reads that benchmark.
"""

from memtui.evaluate.cases import Case, CaseError, CaseFile, case_line, read_cases
from memtui.evaluate.metrics import METRICS, Threshold
from memtui.evaluate.pools import CasePool, Pools
from memtui.evaluate.record import Evaluation, evaluation_record, pools_record
from memtui.evaluate.run import (
    Asked,
    CaseResult,
    Column,
    Configuration,
    Fate,
    fate_of,
    plan,
    run_case,
    run_cases,
)

__all__ = [
    "METRICS",
    "Asked",
    "Case",
    "CaseError",
    "CaseFile",
    "CasePool",
    "CaseResult",
    "Column",
    "Configuration",
    "Evaluation",
    "Fate",
    "Pools",
    "Threshold",
    "case_line",
    "evaluation_record",
    "fate_of",
    "plan",
    "pools_record",
    "read_cases",
    "run_case",
    "run_cases",
]
