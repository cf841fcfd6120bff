"""Invented memories to try the app on: five scenarios, laid out as real files."""

from memtui.samples.layout import Demo, lay_out, temporary_demo
from memtui.samples.scenarios import NOW_MS, SCENARIOS, Scenario, UnknownScenario

__all__ = [
    "NOW_MS",
    "SCENARIOS",
    "Demo",
    "Scenario",
    "UnknownScenario",
    "lay_out",
    "temporary_demo",
]
