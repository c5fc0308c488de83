"""What every page tells the browser, so that a text of somebody else is never run as a script."""

from __future__ import annotations

# No inline script and no inline style anywhere: what a label or a reason contains stays text even
# if escaping should fail one day.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
SAFE = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
# a page shows what only those see who have a key: nobody keeps a copy
PRIVATE = {**SAFE, "Cache-Control": "no-store"}
