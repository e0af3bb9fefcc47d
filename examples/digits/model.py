"""A small image-text model in the manner of CLIP: two encoders meet in one space, where the right caption lies nearest."""
import torch
from torch import nn
from torch.nn import functional

from data import CAPTION_LENGTH, SIDE, WORDS

WIDTH = 64


class ImageEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(32 * (SIDE // 4) ** 2, WIDTH),
        )

    def forward(self, images):
        return functional.normalize(self.layers(images), dim=1)


class TextEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(len(WORDS), WIDTH, padding_idx=0)
        self.places = nn.Parameter(torch.zeros(CAPTION_LENGTH, WIDTH))
        self.layers = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))

    def forward(self, captions):
        present = (captions != 0).unsqueeze(2)
        words = (self.words(captions) + self.places) * present
        return functional.normalize(self.layers(words.sum(1) / present.sum(1)), dim=1)


class ImageText(nn.Module):
    def __init__(self):
        super().__init__()
        self.image, self.text = ImageEncoder(), TextEncoder()
        self.scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, images, captions, classes):
        """Likeness of each image to each caption of the batch, and to the caption of each class."""
        seen, scale = self.image(images), self.scale.exp()
        return scale * seen @ self.text(captions).T, scale * seen @ self.text(classes).T


def loss_of(pairs, to_class, labels):
    """Contrastive: captions of the same digit are all right answers. Classifying: the digit's own caption is."""
    same = (labels.unsqueeze(0) == labels.unsqueeze(1)).float()
    right = same / same.sum(1, keepdim=True)
    contrastive = (functional.cross_entropy(pairs, right) + functional.cross_entropy(pairs.T, right)) / 2
    return contrastive + functional.cross_entropy(to_class, labels)
