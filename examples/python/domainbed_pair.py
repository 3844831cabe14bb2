"""PAIR-o for DomainBed: the class drops into domainbed/algorithms.py, after ERM, or is used from here:

    import domainbed_pair, domainbed.algorithms
    domainbed.algorithms.PAIR = domainbed_pair.PAIR
"""

import torch
from domainbed.algorithms import ERM

from pair.torch import Batch, Pair, TrackedMoments, erm, irmv1, vrex


class PAIR(ERM):
    """PAIR-o on ERM, IRMv1 and V-REx (Chen et al., ICLR 2023), with moments tracked over the minibatches."""

    def __init__(self, input_shape, num_classes, num_domains, hparams):
        super().__init__(input_shape, num_classes, num_domains, hparams)
        self.tracked = TrackedMoments(hparams.get("pair_track", 50), num_domains)
        self.pair = Pair(
            self.optimizer,
            hparams.get("pair_preference", [1, 1e2, 1e2]),
            self.classifier.parameters(),
            solver=hparams.get("pair_solver", "epo_smooth"),
            pretrain=hparams.get("pair_pretrain", 500),
            backtrack=False,  # the losses of two minibatches cannot be compared
            buffers=self.network.buffers(),
        )

    def update(self, minibatches, unlabeled=None):
        logits = self.network(torch.cat([x for x, y in minibatches]))
        labels = torch.cat([y for x, y in minibatches])
        batch = self.tracked(Batch(logits, labels, [len(y) for x, y in minibatches], loss="ce"))
        step = self.pair.step([erm(batch), irmv1(batch), vrex(batch)])
        nll, *penalties = step.losses
        return {"loss": float(sum(step.losses)), "nll": float(nll), "penalty": float(sum(penalties))}
