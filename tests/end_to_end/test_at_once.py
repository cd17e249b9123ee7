"""What the script adds: a chart is read at a step by keys or pointer, and a filter of the search acts without a press."""

from collections.abc import Callable

from tests.making.browser_visits import MARKS, Visit

pytestmark = MARKS


def test_a_chart_is_read_and_a_search_filtered_at_once(visit: Callable[..., Visit]) -> None:
    reader = visit()
    page = reader.page
    run = page.request.get(reader.hub.url + "/api/v1/runs").json()["items"][0]["id"]
    reader.go(f"/runs/{run}")
    slider = page.locator(".reading input").first
    last = slider.get_attribute("aria-valuetext")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    before = slider.get_attribute("aria-valuetext")
    assert last.startswith("step ")
    assert before != last
    box = page.locator(".chart svg.plot").first.bounding_box()
    page.mouse.move(box["x"] + 1, box["y"] + 40)
    assert slider.input_value() == "0", "the pointer stands at the first step"
    reader.go("/packages")
    assert not page.get_by_role("button", name="Apply", exact=True).is_visible()
    page.locator("form.facets input[name=kind]").first.check()
    page.wait_for_url(lambda url: "kind=" in url)
    assert page.locator(".chosen-facets .chip").count() == 1
    assert page.evaluate("document.activeElement.name") == "kind", "the focus stays where it was"
    page.select_option("#sort", "name")
    page.wait_for_url(lambda url: "kind=" in url and "sort=name" in url)
    reader.look()
