"""Images of candidates: read as images, and written anew, so that nothing else comes along.

What a file is, its content says. Pillow decodes it, turns it upright, makes it small enough for a
page, and writes WebP without any of the texts that cameras and programs leave in files.
"""

from __future__ import annotations

import io
import warnings

from factored_bandits.errors import InvalidInputError, MissingExtraError

MOST_BYTES = 10_000_000  # of an upload
MOST_PIXELS = 40_000_000
LONGEST_SIDE = 1600  # pixels that are kept
QUALITY = 85
KINDS = ("PNG", "JPEG", "WEBP", "GIF")
MEDIA_TYPE = "image/webp"


def prepared(name: str, content: bytes) -> bytes:
    """An image as it is stored and served.

    Parameters
    ----------
    name
        What a complaint calls it.
    content
        What was uploaded.

    Returns
    -------
    bytes
        WebP, at most 1600 pixels wide and high.

    Raises
    ------
    InvalidInputError
        If it is no image, or too large.
    MissingExtraError
        If Pillow is not installed.
    """
    try:
        from PIL import Image, ImageOps
    except ImportError:
        raise MissingExtraError.of("Pillow", "vote", "a vote on images") from None

    if len(content) > MOST_BYTES:
        raise InvalidInputError(
            f"{name}: an image has at most {MOST_BYTES:,} bytes, not {len(content):,}"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # Pillow warns of images that are absurdly large
            with Image.open(io.BytesIO(content), formats=KINDS) as opened:
                width, height = opened.size
                if width * height > MOST_PIXELS:
                    raise InvalidInputError(
                        f"{name}: {width:,} x {height:,} pixels are too many; at most "
                        f"{MOST_PIXELS:,} fit"
                    )
                upright = ImageOps.exif_transpose(opened)
                mode = "RGBA" if upright.has_transparency_data else "RGB"
                plain = Image.new(mode, upright.size)
                plain.paste(upright.convert(mode))
    except InvalidInputError:
        raise
    except Exception as error:  # decoders of damaged files raise anything
        raise InvalidInputError(
            f"{name}: this is no image that can be read ({', '.join(KINDS)}): {error}"
        ) from None

    plain.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    written = io.BytesIO()
    plain.save(written, "WEBP", quality=QUALITY)
    return written.getvalue()
