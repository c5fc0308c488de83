"""Markdown of strangers as HTML that does nothing: no HTML of theirs, no image, no other host."""

from __future__ import annotations

from functools import cache
from typing import Any

from factored_bandits.errors import MissingExtraError

TAGS = {
    "a", "b", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
    "i", "li", "ol", "p", "pre", "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip


@cache
def _parser() -> Any:
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        raise MissingExtraError.of("markdown-it-py", "vote", "a vote on Markdown") from None
    # an image would be a request, perhaps to another host
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return parser.disable("image")


def rendered(text: str) -> str:
    """HTML of a Markdown text; links open elsewhere and tell nobody where they were found.

    Examples
    --------
    >>> rendered("**bold** <script>alert(1)</script>")
    '<p><strong>bold</strong> &lt;script&gt;alert(1)&lt;/script&gt;</p>\\n'
    >>> rendered("[here](javascript:alert)")
    '<p>[here](javascript:alert)</p>\\n'
    """
    try:
        import nh3
    except ImportError:
        raise MissingExtraError.of("nh3", "vote", "a vote on Markdown") from None
    html: str = _parser().render(text)
    return nh3.clean(
        html,
        tags=TAGS,
        attributes={"a": {"href"}},
        url_schemes={"http", "https"},
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
        strip_comments=True,
    )
