"""The figures of a run, and the rails on which its rewards are drawn."""

from hub_server.site.pages.run.charts import weighted_range
from hub_server.site.pages.run.figures import figures_of, rails_of
from schemas.manifest import RewardDeclaration
from schemas.run import RewardChange
from tests.hub_server.site import samples


def change(before: float, after: float) -> RewardChange:
    return RewardChange(
        before=before, before_low=before - 0.1, before_high=before + 0.1,
        after=after, after_low=after - 0.1, after_high=after + 0.1, tasks=32,
    )  # fmt: skip


def test_the_weighted_reward_is_drawn_from_zero_to_the_sum_of_the_weights() -> None:
    run = samples.run(
        rewards={
            "right": RewardDeclaration(weight=4),
            "short": RewardDeclaration(),
            "parses": RewardDeclaration(role="gate"),
        },
        summary={"reward": change(2.24, 4.84), "right": change(0.4, 0.9)},
    )
    rails = rails_of(run)
    assert rails["reward"] == (0.0, 5.0)
    assert rails["right"] == (0.0, 1.0)


def test_a_reward_that_nobody_declared_is_never_cut_off() -> None:
    run = samples.run(rewards={}, summary={"mystery": change(2.0, 7.0)})
    low, high = rails_of(run)["mystery"]
    assert low <= 1.9
    assert high >= 7.1


def test_negative_scores_widen_the_sum() -> None:
    assert weighted_range(
        {"penalty": RewardDeclaration(range=(-1, 0), weight=2, threshold=0), "right": RewardDeclaration()}
    ) == (-2.0, 1.0)


def test_the_weighted_figure_names_its_maximum() -> None:
    named = {figure.name: figure for figure in figures_of(samples.run(), samples.metrics())}
    assert named["Reward, weighted"].note.endswith(", of 1.50")
