#!/usr/bin/env python3
"""Writes small pictures of many formats, and their pixels by Pillow as NAME.rgb (rows, columns, bytes).

    make_pictures.py FOLDER [ROWS COLUMNS]

tests/data/image_formats_test.cpp reads them. The files in golden/pictures, of 7 x 9 pixels, were written with
Pillow 9.4 (Debian: python3-pil). Names that begin with exif are compared with ImageOps.exif_transpose.
"""
import os
import random
import sys

from PIL import Image, ImageOps

folder = sys.argv[1]
rows, columns = (int(sys.argv[2]), int(sys.argv[3])) if len(sys.argv) > 3 else (7, 9)
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
random.seed(5)


def noise(mode):
    small = Image.new(mode, (4, 3))
    bands = len(small.getbands())
    small.putdata([tuple(random.randrange(256) for _ in range(bands)) if bands > 1 else random.randrange(256)
                   for _ in range(12)])
    return small.resize((columns, rows), Image.BILINEAR)


def save(image, name, **options):
    image.save(name, **options)
    read = Image.open(name)
    if name.startswith("exif"):
        read = ImageOps.exif_transpose(read)
    read = read.convert("RGB")
    with open(name + ".rgb", "wb") as out:
        out.write(b"%d %d\n" % (read.height, read.width) + read.tobytes())


rgb, grey, alpha = noise("RGB"), noise("L"), noise("RGBA")
save(rgb, "lossless.webp", lossless=True)
save(rgb, "lossy.webp", quality=80)
save(alpha, "alpha.webp", lossless=True, exact=True)
rgb.save("animated.webp", save_all=True, append_images=[noise("RGB")], lossless=True)
first = Image.open("animated.webp").convert("RGB")
with open("animated.webp.rgb", "wb") as out:
    out.write(b"%d %d\n" % (first.height, first.width) + first.tobytes())
save(rgb, "plain.tif")
save(rgb, "lzw.tiff", compression="tiff_lzw")
save(rgb, "deflate.tif", compression="tiff_adobe_deflate")
save(rgb, "packbits.tif", compression="packbits")
save(rgb, "jpeg.tif", compression="jpeg", quality=95)
save(alpha, "alpha.tif")
save(grey, "grey.tif")
save(grey.convert("1"), "bits.tif")
save(grey.convert("1"), "fax.tif", compression="group4")
save(rgb.quantize(11), "palette.tif")
save(rgb, "rgb.bmp")
save(grey, "grey.bmp")
save(grey.convert("1"), "bits.bmp")
save(rgb.quantize(11), "palette.bmp")
save(alpha, "alpha.bmp")
save(rgb, "rgb.ppm")
save(grey, "grey.pgm")
save(grey.convert("1"), "bits.pbm")
for orientation in range(1, 9):
    exif = Image.Exif()
    exif[0x0112] = orientation
    save(rgb, "exif%d.png" % orientation, exif=exif)
exif = Image.Exif()
exif[0x0112] = 6
save(rgb, "exif.jpg", exif=exif, quality=95)
save(rgb, "exif.webp", exif=exif.tobytes(), lossless=True)
