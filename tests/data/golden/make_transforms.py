#!/usr/bin/env python3
"""Prints a picture and what torchvision's transforms make of it, for tests/data/transform_test.cpp.

    make_transforms.py ROWS COLUMNS > transforms.txt

A line is NAME ROWS COLUMNS HEX [PARAMETERS]. Needs torchvision and Pillow (Debian: python3-torchvision; the stored file,
of 10 x 12 pixels, was written with torchvision 0.14 and Pillow 9.4).
"""
import itertools
import random
import sys

from PIL import Image
from torchvision.transforms import functional as F

rows, columns = int(sys.argv[1]), int(sys.argv[2])
random.seed(3)
image = Image.new("RGB", (7, 5))
image.putdata([tuple(random.randrange(256) for _ in range(3)) for _ in range(35)])
image = image.resize((columns, rows), Image.BILINEAR)


def write(name, picture, *parameters):
    print(name, picture.height, picture.width, picture.tobytes().hex(), *parameters)


write("input", image)
for size in [(rows // 2, columns // 3), (rows * 2, columns + 5), (1, 1), (7, 7)]:
    write("resize", F.resize(image, size, antialias=True))
for box in [(0, 0, rows, columns), (1, 2, rows - 3, columns - 4), (rows // 2, columns // 2, 2, 3)]:
    write("resized_crop", F.resized_crop(image, *box, (8, 9)), *box)
write("flip", F.hflip(image))
steps = {"brightness": F.adjust_brightness, "contrast": F.adjust_contrast, "saturation": F.adjust_saturation}
for name, function in steps.items():
    for factor in [0.0, 0.7, 0.95, 1.0, 1.3, 2.5]:
        write(name, function(image, factor), factor)
for turn in [-0.5, -0.3, -0.004, 0.0, 0.1, 0.3, 0.5]:
    write("hue", F.adjust_hue(image, turn), turn)
write("grey", F.to_grayscale(image, 3))
# Every order of colour jitter.
steps["hue"] = F.adjust_hue
factors = {"brightness": 0.8, "contrast": 1.25, "saturation": 1.3, "hue": -0.2}
for order in itertools.permutations(steps):
    jittered = image
    for name in order:
        jittered = steps[name](jittered, factors[name])
    write("jitter", jittered, *order)
