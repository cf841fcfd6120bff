"""An evaluation as JUnit XML, as build servers read it: one suite for each configuration."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from memtui.evaluate.metrics import Threshold
from memtui.evaluate.record import Evaluation
from memtui.evaluate.run import CaseResult, Column
from memtui.recall.why.ladder import REASONS
from memtui.text import display_text

_NOT_IN_XML = re.compile("[\ufffe\uffff]")


def junit_xml(evaluation: Evaluation, thresholds: Sequence[Threshold] = ()) -> bytes:
    """The report: a case fails if the context lacks what is relevant, or shows something to one
    for which nothing is. Thresholds are a suite of their own. It holds no times.
    """
    suites = ElementTree.Element("testsuites", name="memtui eval")
    for column in evaluation.columns:
        _add_cases(suites, column, evaluation)
    if thresholds:
        _add_thresholds(suites, evaluation.columns[0], thresholds)
    ElementTree.indent(suites)
    text: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _add_cases(suites: ElementTree.Element, column: Column, evaluation: Evaluation) -> None:
    failed = [result for result in column.results if not result.passed]
    missing = evaluation.planned - evaluation.done
    suite = ElementTree.SubElement(
        suites,
        "testsuite",
        name=_safe(column.configuration.name),
        tests=str(len(column.results) + bool(missing)),
        failures=str(len(failed)),
        errors=str(int(bool(missing))),
        skipped="0",
    )
    for result in column.results:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=_safe(result.case.category or "cases"),
            name=_safe(result.case.id),
        )
        if not result.passed:
            text = _failure(result)
            ElementTree.SubElement(case, "failure", message=_safe(text)).text = _safe(
                f"query: {result.case.query}"
            )
    if missing:
        case = ElementTree.SubElement(suite, "testcase", classname="run", name="every case was run")
        message = f"interrupted: {missing} of {evaluation.planned} cases were not run"
        ElementTree.SubElement(case, "error", message=message)


def _failure(result: CaseResult) -> str:
    if not result.fates:
        return f"nothing is relevant, and the context shows {result.shown}"
    return "; ".join(
        f"{name} lost at {lost} ({REASONS.get(lost.partition(':')[2], '')})"
        for name, lost in result.lost.items()
    )


def _add_thresholds(
    suites: ElementTree.Element, column: Column, thresholds: Sequence[Threshold]
) -> None:
    failures = [each.failure(column.metrics) for each in thresholds]
    suite = ElementTree.SubElement(
        suites,
        "testsuite",
        name="thresholds",
        tests=str(len(thresholds)),
        failures=str(sum(1 for each in failures if each)),
        errors="0",
        skipped="0",
    )
    for threshold, failure in zip(thresholds, failures, strict=True):
        name = f"{threshold.metric} >= {threshold.value:g}"
        case = ElementTree.SubElement(suite, "testcase", classname="thresholds", name=name)
        if failure:
            ElementTree.SubElement(case, "failure", message=failure)


def _safe(text: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", display_text(text))
