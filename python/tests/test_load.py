"""pair.load: models of the program as torch modules."""
import csv
import io
import json
import pathlib
import shutil
import struct
import tempfile
import unittest
import zlib

import numpy as np

from support import program, run_program
from support_torch import torch

import pair

SMALL = ["--steps", "2", "--set", "eval_every=2"]


def write_png(path, image):
    """[rows, columns, 3] bytes."""

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows, columns, _ = image.shape
    lines = b"".join(b"\0" + row.tobytes() for row in image)
    header = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


@unittest.skipIf(program() is None, "the program pair is not built here (PAIR_PROGRAM)")
class Load(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        run_program("train", "--dataset", "cmnist", "--algorithm", "erm", "--seed", "2", "--out", cls.folder / "mlp", *SMALL,
                    "train_digits=200", "test_digits=40", "width=12", "depth=3")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def copy(self):
        target = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / "run"
        shutil.copytree(self.folder / "mlp", target)
        return target

    def test_an_mlp_has_the_programs_accuracies(self):
        model = pair.load(self.folder / "mlp")
        self.assertFalse(model.training)
        self.assertEqual(model.card["architecture"]["options"], {"depth": 3, "width": 12})
        self.assertEqual(model.card["classes"], ["5 to 9", "0 to 4"])
        train, test = pair.colored_mnist(2, train_digits=200, test_digits=40)
        record = json.loads((self.folder / "mlp" / "results.jsonl").read_text().splitlines()[-1])
        for key, data in (("env0_in_acc", train[0]), ("env1_in_acc", train[1]), ("env2_out_acc", test[0])):
            with torch.no_grad():
                right = (model(torch.from_numpy(data.inputs))[:, 0] > 0).numpy() == (data.labels > 0.5)
            self.assertAlmostEqual(right.mean(), record[key], places=6)

    def test_other_networks_have_the_programs_predictions(self):
        """A convolutional network and torchvision's ResNet and DenseNet predict the program's probabilities."""
        random = np.random.RandomState(0)
        side, images = 32, {}
        for environment in ("art", "photo", "sketch"):
            for label in ("cat", "dog"):
                place = self.folder / "pets" / environment / label
                place.mkdir(parents=True, exist_ok=True)
                for number in range(4):
                    image = random.randint(0, 10 + 60 * number, (side, side, 3)).astype(np.uint8)
                    write_png(place / f"{number}.png", image)
                    images[str(place / f"{number}.png")] = image
        for name in ("mnist_cnn", "resnet18", "densenet121"):
            if name == "resnet18":
                try:
                    import torchvision  # noqa: F401
                except Exception as error:
                    self.skipTest(f"torchvision is not usable: {error}")
            run = self.folder / name
            run_program("train", "--dataset", "images", "--algorithm", "erm", "--out", run, "--steps", "2", "--set",
                        f"folder={self.folder / 'pets'}", "test_envs=2", f"model={name}", f"image_size={side}", "batch=2",
                        "eval_every=2", "flip=0")
            model = pair.load(run)
            form = model.card["input"]
            self.assertEqual(form["shape"], [3, side, side])
            text = run_program("predict", run, self.folder / "pets")
            rows = list(csv.reader(io.StringIO(text)))[1:]
            self.assertEqual(len(rows), len(images))
            pixels = np.stack([images[row[0]] for row in rows]).transpose(0, 3, 1, 2).astype(np.float32) / 255
            mean, std = (np.array(form[key], dtype=np.float32).reshape(3, 1, 1) for key in ("mean", "std"))
            with torch.no_grad():
                logits = model(torch.from_numpy((pixels - mean) / std))
            probabilities = torch.softmax(logits, 1) if logits.shape[1] > 1 else torch.sigmoid(torch.cat([-logits, logits], 1))
            expected = np.array([[float(value) for value in row[2:]] for row in rows])
            np.testing.assert_allclose(probabilities.numpy(), expected, atol=2e-6, err_msg=name)
            self.assertGreater(np.ptp(expected[:, 0]), 1e-4)

    def test_distilbert_is_that_of_transformers(self):
        """Token ids of a text in, the program's probabilities out."""
        words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "good", "bad", "day", "night"]
        (self.folder / "vocab.txt").write_text("\n".join(words) + "\n")
        rows = 4 * [(f"{tone} {time}", tone, site) for tone in ("good", "bad") for time in ("day", "night") for site in "abc"]
        (self.folder / "texts.csv").write_text("text,tone,site\n" + "".join(",".join(row) + "\n" for row in rows))
        run = self.folder / "distilbert"
        run_program("train", "--data", self.folder / "texts.csv", "--text", "text", "--label", "tone", "--environment", "site",
                    "--vocab", self.folder / "vocab.txt", "--algorithm", "erm", "--out", run, "--steps", "2", "--set",
                    "eval_every=2", "batch=0", "max_tokens=6", "distilbert_layers=1", "distilbert_heads=2", "distilbert_dim=8",
                    "distilbert_hidden=16", f"distilbert_vocabulary={len(words)}", "distilbert_positions=6")
        try:
            import transformers  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(ImportError, "distilbert: expected transformers"):
                pair.load(run)
            return
        model = pair.load(run)
        ids = torch.tensor([[2, words.index("good"), words.index("night"), 3]])
        with torch.no_grad():
            logits = model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
        probabilities = torch.softmax(logits, 1) if logits.shape[1] > 1 else torch.sigmoid(torch.cat([-logits, logits], 1))
        text = run_program("predict", run, self.folder / "texts.csv")
        expected = [row for row in csv.reader(io.StringIO(text))][1:][[row[0] for row in rows].index("good night")][-2:]
        np.testing.assert_allclose(probabilities.numpy()[0], [float(value) for value in expected], atol=2e-6)

    def test_runs_that_cannot_be_used_are_refused(self):
        altered = self.copy()
        weights = altered / "model.safetensors"
        content = bytearray(weights.read_bytes())
        content[-1] ^= 1
        weights.write_bytes(bytes(content))
        other_card = self.copy()
        (other_card / "model.json").write_text((other_card / "model.json").read_text() + " ")
        unfinished = self.copy()
        (unfinished / "done").unlink()
        without = self.copy()
        (without / "model.json").unlink()
        for folder, sentence in (
            (altered, "model.safetensors is not as the run left it"),
            (other_card, "model.json is not as the run left it"),
            (unfinished, "expected a finished run, got one that is not ('done' is missing)"),
            (without, "expected a run with a model, got one without model.json; 'pair export' makes it"),
            (self.folder / "nowhere", "expected the folder of a finished run, got a path that does not exist"),
            (self.folder, "expected the folder of a finished run, got one without model.json"),
        ):
            with self.assertRaises(ValueError) as caught:
                pair.load(folder)
            self.assertIn(sentence, str(caught.exception))

    def test_the_two_files_are_enough(self):
        target = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for name in ("model.json", "model.safetensors"):
            shutil.copy(self.folder / "mlp" / name, target)
        self.assertEqual(pair.load(target).head.out_features, 1)
        for change, sentence in (
            ({"format": 2}, "format: expected 1, got 2"),
            ({"architecture": {"name": "vit", "options": {}}}, "unknown model 'vit'"),
            ({"architecture": {"name": "mlp", "options": {"width": 13, "depth": 3}}}, "does not match the model"),
            ({"architecture": {"name": "mlp", "options": {"width": 12}}}, "expected what a run writes, got no 'depth'"),
            ({"architecture": "mlp"}, "expected what a run writes, got no 'name'"),
        ):
            card = json.loads((self.folder / "mlp" / "model.json").read_text())
            (target / "model.json").write_text(json.dumps({**card, **change}))
            with self.assertRaises(ValueError) as caught:
                pair.load(target)
            self.assertIn(sentence, str(caught.exception))
        card = json.loads((self.folder / "mlp" / "model.json").read_text())
        del card["weights_sha256"]
        (target / "model.json").write_text(json.dumps(card))
        with self.assertRaisesRegex(ValueError, "expected what a run writes, got no 'weights_sha256'"):
            pair.load(target)


if __name__ == "__main__":
    unittest.main()
