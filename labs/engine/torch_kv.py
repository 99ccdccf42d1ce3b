"""The KV memory itself: one paged tensor, moved to and from host memory through block tables."""

from __future__ import annotations

import torch
from torch import Tensor

from labs.engine.model_config import LlamaConfig
from labs.engine.types import PADDING_BLOCK


class PagedKV:
    """KV of every layer, [layers, 1 + blocks, block_size, 2 x kv_heads, head_dim]: K heads, then V heads.

    One tensor holds both, so that attention gathers both with one copy. Block 0 is the padding block: it starts as
    zeros and only padding rows write it. All others start as NaN, so that a read of a slot nobody wrote cannot stay
    hidden.
    """

    def __init__(
        self, config: LlamaConfig, num_blocks: int, block_size: int, dtype: torch.dtype, device: torch.device
    ) -> None:
        shape = (config.layers, 1 + num_blocks, block_size, 2 * config.kv_heads, config.head_dim)
        self.data = torch.full(shape, float("nan"), dtype=dtype, device=device)
        self.data[:, PADDING_BLOCK] = 0
        self.layers: list[Tensor] = list(self.data.unbind(0))

    @property
    def block_size(self) -> int:
        return self.data.shape[2]

    @property
    def block_bytes(self) -> int:
        """Bytes of one block over all layers, K and V."""
        return self.data[:, 0].numel() * self.data.element_size()

    def _index(self, blocks: list[int]) -> Tensor:
        return torch.tensor(blocks, dtype=torch.long, device=self.data.device)

    def copy_out(self, blocks: list[int]) -> Tensor:
        """The KV of `blocks`, in the table's order, in host memory [layers, len(blocks), ...]."""
        return self.data.index_select(1, self._index(blocks)).to("cpu")

    def copy_in(self, host: Tensor, blocks: list[int]) -> None:
        """Put back what `copy_out` returned, into these blocks (which may be others than before)."""
        if host.shape[1] != len(blocks):
            raise ValueError(f"{host.shape[1]} swapped blocks cannot come back into {len(blocks)}")
        self.data.index_copy_(1, self._index(blocks), host.to(self.data.device))

    def poison(self, blocks: list[int]) -> None:
        """NaN over freed blocks: whoever still reads them fails loudly instead of reading another request's text."""
        self.data.index_fill_(1, self._index(blocks), float("nan"))
