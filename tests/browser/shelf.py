"""The papers and scripted answers of the browser tests."""

from __future__ import annotations

from .scripted import compares, lists, make_paper, prefills, refuses, says, says_of, waits

LORA = make_paper(
    "lora",
    "LoRA: Low-Rank Adaptation of Large Language Models",
    "Fine-tuning all weights of a large model is costly. We propose LoRA, which freezes the "
    "weights and trains low-rank matrices. LoRA needs 3 times less memory than full fine-tuning. "
    r"It costs \$3 instead of \$5 and reaches $71.2 \pm 0.3$ per cent. "
    r"The update is $W_0 + \frac{\alpha}{r} B A^{\top}$.",
    authors=("Edward Hu", "Yelong Shen", "Phillip Wallis", "Zeyuan Allen-Zhu"),
    year=2021,
    venue="ICLR",
    arxiv="2106.09685",
)
BERT = make_paper(
    "bert",
    "BERT",
    "BERT reads text in both directions. It gains (~3 points) on A and (~5 points) on B. "
    "Training costs $3 versus $5 before.",
    place="paragraph 2",
    authors=("Jacob Devlin",),
    year=2018,
    url="javascript:window.broken=1",
)
HOSTILE = make_paper(
    "hostile",
    "Predicting <mask> tokens <img src=x onerror=window.broken=1>",
    "We predict <mask> tokens. <script>window.broken=1</script> Our result ${window.broken=1} "
    "and {{window.broken=1}} and `ticks` stays <b>plain</b>. See [1]: BERT and "
    "<img src=http://192.0.2.7/x.png onerror=window.broken=1>.",
    file="../../<i>x</i>.txt",
    place="line <3>",
)
PAPERS = [LORA, BERT, HOSTILE]

SIDE_BY_SIDE = compares(
    (LORA, "Fine-tuning all weights of a large model is costly."),
    (BERT, "BERT reads text in both directions."),
)
SCRIPTS = {
    "compare": SIDE_BY_SIDE,
    "What does LoRA propose?": says(
        LORA,
        ("LoRA freezes the weights and trains low-rank matrices.", "We propose LoRA, which"),
        ("It needs 3 times less memory.", "LoRA needs 3 times less memory than full fine-tuning."),
    ),
    "How much memory does it save?": says(
        LORA,
        ("Three times less.", "LoRA needs 3 times less memory than full fine-tuning."),
    ),
    "What does BERT gain?": says(
        BERT,
        (
            "It gains (~3 points) on A and (~5 points) on B; $3 versus $5.\n[1]: BERT [7]",
            "It gains (~3 points) on A and (~5 points) on B.",
        ),
    ),
    "What is masked?": says(
        HOSTILE,
        (
            "It predicts <mask> <img src=x onerror=window.broken=1> ${window.broken=1} {{x}} `y`.",
            "We predict <mask> tokens.",
        ),
    ),
    "Who won the World Cup?": refuses(LORA, BERT),
    "Am I next?": waits(
        2, says(LORA, ("LoRA trains low-rank matrices.", "We propose LoRA, which"))
    ),
    "Read for long": prefills(20),
    "Summarise BERT.": says(
        BERT,
        ("BERT reads text in both directions.", "BERT reads text in both directions."),
    ),
    "Compare LoRA: Low-Rank Adaptation of Large Language Models and BERT.": SIDE_BY_SIDE,
    "Which papers train something?": lists(
        (LORA, "We propose LoRA, which freezes the weights and trains low-rank matrices."),
        (BERT, "Training costs $3 versus $5 before."),
    ),
    "Both?": says_of(
        (LORA, "LoRA trains low-rank matrices.", "We propose LoRA, which freezes the weights"),
        (BERT, "BERT reads in both directions.", "BERT reads text in both directions."),
    ),
}
