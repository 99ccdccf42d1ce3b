"""Work for after the next paint, which nobody misses when the widget has gone meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.widget import Widget


def later(widget: Widget, call: Callable[..., Any], *args: Any) -> None:
    """`call(*args)` after the next refresh, unless `widget` was removed by then: a fast key may leave its screen."""
    widget.call_after_refresh(lambda: call(*args) if widget.is_attached else None)
