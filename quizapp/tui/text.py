"""The one door through which foreign text reaches the screen.

Everything that did not come from our own source (questions, banks, notes, file names, error sentences) passes
through here and comes out as Textual `Content`, which is never parsed as markup. The small Markdown of the question
schema is rendered by hand: paragraphs, `code`, fenced code, **bold**, *italic*, _italic_ and lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from textual.content import Content, Span
from textual.style import Style

from quizapp.text import clean

CODE = "$code"
BOLD = "bold"
ITALIC = "italic"
MUTED = "$muted"

_INLINE = re.compile(
    r"`(?P<code>[^`\n]+)`"
    r"|\*\*(?!\s)(?P<bold>[^*\n]+)(?<!\s)\*\*"
    # A product (2 * 3 * 4, a*b*c) and a name (max_num_seqs, __init__) are no emphasis.
    r"|(?<![\w*])\*(?![\s*])(?P<star>[^*`\n]+)(?<!\s)\*(?![\w*])"
    r"|(?<!\w)_(?![\s_])(?P<bar>[^_`\n]+)(?<!\s)_(?!\w)"
)
_STYLES = {"code": CODE, "bold": BOLD, "star": ITALIC, "bar": ITALIC}
_BULLET = re.compile(r"^\s*(?:[-*]|(\d{1,2})[.)])\s+(.*)$")
_SPACE = re.compile(r"\s+")
_WEB = re.compile(r"https?://[!-~]+")
"""What a terminal may open: printable ASCII, so that nothing in it ends the sequence it is put into."""
_STEPS = re.compile(r"[^/?&=#-]*[/?&=#-]*")


def plain(text: object, style: str = "") -> Content:
    """`text` as it stands, harmless: control and bidi-override characters are gone, brackets mean nothing."""
    return styled(clean(str(text)), style)


def line(text: object, style: str = "") -> Content:
    """`text` on one line: runs of white space, newlines too, become one space."""
    return styled(_SPACE.sub(" ", clean(str(text))).strip(), style)


def styled(text: str, style: str = "") -> Content:
    """Our own words in one style."""
    return Content(text, spans=[Span(0, len(text), style)] if style and text else None)


def inline(text: str, style: str = "") -> Content:
    """One paragraph of the small Markdown: code spans, bold and italic, nothing else."""
    text = _SPACE.sub(" ", clean(text)).strip()
    out: list[str] = []
    spans: list[Span] = []
    length = cursor = 0
    for found in _INLINE.finditer(text):
        before = text[cursor : found.start()]
        assert found.lastgroup is not None
        inner = found[found.lastgroup]
        out += [before, inner]
        length += len(before)
        spans.append(Span(length, length + len(inner), _STYLES[found.lastgroup]))
        length += len(inner)
        cursor = found.end()
    out.append(text[cursor:])
    whole = "".join(out)
    if style and whole:
        spans.insert(0, Span(0, len(whole), style))
    return Content(whole, spans=spans)


def address(text: object, style: str = "") -> Content:
    """The address of a source on one line. One of the web is a link (OSC 8): it opens whole, however it is broken."""
    shown = line(text, style)
    return shown.stylize(Style(link=shown.plain)) if _WEB.fullmatch(shown.plain) else shown


def break_address(content: Content, room: int) -> list[Content]:
    """Rows of at most `room` cells, broken after / ? & = # - and within a word only where it is too long."""
    if not content.plain.isascii():
        return content.wrap(room)
    ends = [0]
    at = 0
    for step in _STEPS.findall(content.plain):
        if at + len(step) - ends[-1] > room and at > ends[-1]:
            ends.append(at)
        at += len(step)
        while at - ends[-1] > room:
            ends.append(ends[-1] + room)
    return [content[start:end] for start, end in zip(ends, [*ends[1:], None], strict=True)]


EMPTY = Content("")


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of text with a gutter: `first` stands left of its first line, `rest` left of the others.

    `wrap` false keeps lines as they are (code); `steps` breaks them as an address. `style` paints the whole row.
    `click` is a Textual action run when the block is clicked.
    """

    body: Content
    first: Content = EMPTY
    rest: Content = EMPTY
    wrap: bool = True
    style: str = ""
    click: str = ""
    steps: bool = False

    def looks_like(self, other: Block) -> bool:
        """Equal text in equal styles. (`Content` calls itself equal when only the text is.)"""
        return (
            self.body.is_same(other.body)
            and self.first.is_same(other.first)
            and self.rest.is_same(other.rest)
            and (self.wrap, self.style, self.click, self.steps) == (other.wrap, other.style, other.click, other.steps)
        )


GAP = Block(EMPTY)
"""An empty line."""


def hanging(body: Content, gutter: Content | str, style: str = "", click: str = "") -> Block:
    """A block whose later lines align with the first one's text."""
    first = gutter if isinstance(gutter, Content) else Content(gutter)
    return Block(body, first, Content(" " * first.cell_length), style=style, click=click)


def markdown(text: str, style: str = "", indent: int = 0) -> list[Block]:
    """The small Markdown as blocks, with an empty line between paragraphs."""
    out: list[Block] = []
    pad = Content(" " * indent)
    for kind, lines in _paragraphs(clean(text).expandtabs(4).splitlines()):
        if out and not (kind == "item" and out[-1].first.plain.strip()):
            out.append(GAP)
        if kind == "code":
            edge = Content(" " * indent).append(styled("│ ", MUTED))
            out += [Block(styled(one, CODE), edge, edge, wrap=False) for one in lines]
        elif kind == "item":
            found = _BULLET.match(lines[0])
            assert found is not None
            mark = f"{found[1]}. " if found[1] else "• "
            body = inline(" ".join([found[2], *lines[1:]]), style)
            out.append(hanging(body, pad.append(styled(mark, MUTED))))
        else:
            out.append(Block(inline(" ".join(lines), style), pad, pad))
    return out


def _paragraphs(lines: Iterable[str]) -> Iterable[tuple[str, list[str]]]:
    """Groups lines into ("code" | "item" | "text", lines)."""
    group: list[str] = []
    kind = "text"
    for one in lines:
        if one.lstrip().startswith("```"):
            if group or kind == "code":
                yield kind, group
            group, kind = [], "text" if kind == "code" else "code"
        elif kind == "code":
            group.append(one)
        elif not one.strip():
            if group:
                yield kind, group
            group, kind = [], "text"
        elif _BULLET.match(one):
            if group:
                yield kind, group
            group, kind = [one], "item"
        else:
            group.append(one)
    if group:
        yield kind, group
