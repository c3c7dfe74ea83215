"""The report in headless Chromium: no errors, figures that can be seen, numbers that are those of the JSON."""
import json

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

import relucover
from relucover.report import report, write


def planted():
    x, y, truth = relucover.sample(inputs=5, units=3, samples=2000, seed=1)
    result = relucover.learn(x, y, units=3)
    return result, report(result, truth=truth, samples=(x, y))


def digits():
    from sklearn.datasets import load_digits
    from sklearn.neural_network import MLPClassifier
    from sklearn.preprocessing import StandardScaler

    x, y = load_digits(return_X_y=True)
    result = relucover.extract(MLPClassifier((16,), max_iter=200, random_state=0).fit(StandardScaler().fit_transform(x), y)).result
    assert result.status == "exact"
    return result, report(result)


@pytest.fixture(scope="module", params=[planted, digits])
def page(request, tmp_path_factory):
    result, text = request.param()
    path = tmp_path_factory.mktemp("report") / f"{request.param.__name__}.html"
    write(text, path)
    return path, json.loads(result.json())


@pytest.fixture(scope="module", params=[("light", 1200), ("dark", 1200), ("light", 390), ("dark", 390)], ids=["light-desktop", "dark-desktop", "light-phone", "dark-phone"])
def browser(request):
    scheme, width = request.param
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--window-size={max(width, 500)},1000"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 500})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    yield driver, width, scheme
    driver.quit()


def test_page(page, browser):
    path, result = page
    driver, width, scheme = browser
    driver.get(path.as_uri())
    assert driver.get_log("browser") == []
    for cell in driver.find_elements(By.CSS_SELECTOR, "#numbers td"):
        key = cell.get_attribute("data-key")
        assert cell.get_attribute("data-value") == (result[key] if isinstance(result[key], str) else json.dumps(result[key]))
        if isinstance(result[key], float):
            assert float(cell.text) == pytest.approx(result[key], rel=5e-3)
    figures = driver.find_elements(By.CSS_SELECTOR, "section.figure svg")
    assert len(figures) >= (4 if path.stem == "planted" else 2)
    assert all(f.size["width"] > 200 and f.size["height"] > 100 for f in figures)
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    for table in driver.find_elements(By.CSS_SELECTOR, ".wide"):  # nothing is cut off, nothing has to be pushed aside
        assert table.get_property("scrollWidth") <= table.get_property("clientWidth")
    background = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    lightness = sum(int(v) for v in background[4:-1].split(",")[:3]) / 3
    assert (lightness < 80) == (scheme == "dark")
    height = driver.execute_script("return document.documentElement.scrollHeight")
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
    driver.save_screenshot(str(path.with_name(f"{path.stem}-{scheme}-{width}.png")))
