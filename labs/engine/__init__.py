"""The batching engine: sequential, static, dynamic and continuous batching on one scheduler core.

    from labs.engine import EngineConfig, Request, run

    result = run(EngineConfig(scheme="static"), [Request("a", prompt_len=200, output_len=20)])
    result.counters["steps"]        # 20

Nothing here imports torch. `labs.engine.torch_executor` (which does) is loaded only by those who ask for it.
"""

from labs.engine.api import RunResult, blocks_for_workload, run
from labs.engine.config import EngineConfig
from labs.engine.core import Engine
from labs.engine.events import JsonlSink, StepEvent, read_events
from labs.engine.executor import Executor, VirtualExecutor
from labs.engine.metrics import DEFINITIONS, Metrics, Slo
from labs.engine.types import EngineError, FinishReason, Request, SamplingParams, Stall

__all__ = [
    "DEFINITIONS",
    "Engine",
    "EngineConfig",
    "EngineError",
    "Executor",
    "FinishReason",
    "JsonlSink",
    "Metrics",
    "Request",
    "RunResult",
    "SamplingParams",
    "Slo",
    "Stall",
    "StepEvent",
    "VirtualExecutor",
    "blocks_for_workload",
    "read_events",
    "run",
]
