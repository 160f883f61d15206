"""Makes the picture of the README: a part of the photograph as it was (left) and as the example wrote it (right).

    python3 kernels-example/check/before_after.py SHARPENED PICTURE
"""

import sys
from pathlib import Path

from PIL import Image

ASTRONAUT = Path(__file__).resolve().parent.parent / "images" / "astronaut.png"
PART = (96, 0, 352, 256)  # left, upper, right, lower: the face


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    before = Image.open(ASTRONAUT).crop(PART)
    after = Image.open(sys.argv[1]).crop(PART)
    picture = Image.new("RGB", (2 * before.width + 4, before.height), "white")
    picture.paste(before, (0, 0))
    picture.paste(after, (before.width + 4, 0))
    picture.save(sys.argv[2], optimize=True, icc_profile=before.info.get("icc_profile"))


if __name__ == "__main__":
    main()
