/** What a page must not have, looked for in a real browser: each fault is one line. */
import type { Browser } from "../../_support/browser.ts";

/** A size and theme of a screen. */
export interface Screen {
  readonly width: number;
  readonly dark: boolean;
  /** Its controls and keys are used. */
  readonly uses: boolean;
}

const HEIGHT = 1000;
/** Width of paper, px. */
const PAPER = 794;

/** Opens a page on a screen. */
export async function showOn(
  browser: Browser,
  path: string,
  { width, dark }: Omit<Screen, "uses">,
): Promise<void> {
  await browser.send("Emulation.setDeviceMetricsOverride", {
    width,
    height: HEIGHT,
    deviceScaleFactor: 1,
    mobile: false,
  });
  await browser.send("Emulation.setEmulatedMedia", {
    media: "",
    features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }],
  });
  await browser.show(path);
  await settle(browser);
}

/** Waits until the page has drawn what changed. */
export async function settle(browser: Browser): Promise<void> {
  await browser.run(
    `new Promise((done) => requestAnimationFrame(() => setTimeout(done)))`,
  );
}

/** Faults of what is shown now. */
export async function faultsOf(browser: Browser): Promise<string[]> {
  const found = await browser.run<string[]>(LOOK);
  const requests = browser.requests.filter((url) => !/^(file|blob|data):/.test(url));
  return [
    ...found,
    ...browser.errors.map((error) => `console: ${error.slice(0, 300)}`),
    ...requests.map((url) => `request: ${url}`),
  ];
}

/** Clicks each control twice, and presses each key of the plots twice; faults in between. */
export async function useAll(browser: Browser): Promise<string[]> {
  const faults: string[] = [];
  await browser.run("window.print = () => {}");
  await browser.run(USE);
  await settle(browser);
  faults.push(...await faultsOf(browser));
  for (const [selector, keys] of Object.entries(KEYS)) {
    const isThere = await browser.run<boolean>(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      element?.focus();
      return element !== null && document.activeElement === element;
    })()`);
    if (!isThere) continue;
    for (const key of keys) {
      for (let time = 0; time < 2; time++) {
        await browser.press(key.replace("Shift+", ""), key.startsWith("Shift+"));
        await settle(browser);
        const hasFocus = await browser.run<boolean>(
          "document.activeElement?.closest('svg') !== null",
        );
        if (!hasFocus) faults.push(`the focus is lost after ${key} in ${selector}`);
      }
    }
  }
  return faults;
}

/** Prints after the dark theme was chosen; faults of the paper. */
export async function printed(browser: Browser): Promise<string[]> {
  await browser.run(
    "document.documentElement.dataset.theme = 'dark'; dispatchEvent(new Event('resize'))",
  );
  await browser.send("Emulation.setEmulatedMedia", { media: "print" });
  await browser.send("Emulation.setDeviceMetricsOverride", {
    width: PAPER,
    height: HEIGHT,
    deviceScaleFactor: 1,
    mobile: false,
  });
  await browser.run("dispatchEvent(new Event('beforeprint'))");
  await settle(browser);
  const faults = await faultsOf(browser);
  const paper = await browser.run<string[]>(`(() => {
    const style = getComputedStyle(document.documentElement);
    const closed = [...document.querySelectorAll("details")].filter(({ open }) => !open).length;
    return [
      ...style.backgroundColor === "rgb(255, 255, 255)" ? [] : ["paper is " + style.backgroundColor],
      ...closed === 0 ? [] : [closed + " details are closed on paper"],
      ...[...document.querySelectorAll("button")].filter((e) => e.offsetWidth > 0 && !e.closest("th"))
        .slice(0, 3).map((e) => "a control on paper: " + e.textContent),
    ];
  })()`);
  await browser.run("dispatchEvent(new Event('afterprint'))");
  await browser.send("Emulation.setEmulatedMedia", { media: "" });
  const back = await browser.run<string>("document.documentElement.dataset.theme");
  return [...faults, ...paper, ...back === "dark" ? [] : ["the theme is not back after printing"]]
    .map((fault) => `print: ${fault}`);
}

/** Keys of regions in regions, and of stacks. */
const STACK_KEYS = ["ArrowRight", "ArrowLeft", "Enter", " ", "Escape", "ArrowDown", "ArrowUp"];
/** Keys of each plot. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  "#power svg": [
    "+",
    "ArrowRight",
    "ArrowLeft",
    "-",
    "Shift+ArrowRight",
    "Shift+ArrowLeft",
    "Escape",
  ],
  '#nested rect[tabindex="0"]': STACK_KEYS,
  '#stacks rect[tabindex="0"]': STACK_KEYS,
};

/** Each control twice; of a table's rows the first ones alone. */
const USE = `(async () => {
  const controls = [...document.querySelectorAll("button, select, summary")].filter((element) => {
    const row = element.closest("tbody tr");
    return row === null || [...row.parentElement.children].indexOf(row) < 2;
  });
  for (const element of controls) {
    if (element.disabled || element.closest("[hidden]")) continue;
    for (let time = 0; time < 2; time++) {
      if (element.tagName !== "SELECT") element.click();
      else {
        element.selectedIndex = (element.selectedIndex + 1) % element.options.length;
        element.dispatchEvent(new Event("change"));
      }
    }
    await new Promise((done) => requestAnimationFrame(done));
  }
})()`;

/** Overflow, texts that overlap or leave their plot, contrast, plots without a text or a table. */
const LOOK = String.raw`(() => {
  const faults = [];
  const page = document.documentElement;
  if (page.scrollWidth > innerWidth + 1) {
    const wide = [...document.querySelectorAll("body *")].filter((e) =>
      e.getBoundingClientRect().right > innerWidth + 1 && !e.closest("nav, .skip, .sr"));
    faults.push("overflow by " + (page.scrollWidth - innerWidth) + " px: " +
      wide.slice(0, 2).map((e) => e.tagName + "." + e.className + " " + e.textContent.slice(0, 30)));
  }
  const numbers = (text) => {
    const found = (text.match(/[\d.]+/g) ?? []).map(Number);
    return found.length > 3 ? found : [...found, 1];
  };
  const luminance = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  const over = (upper, lower, share) => lower.map((v, i) => upper[i] * share + v * (1 - share));
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] >= 1) break;
    }
    return layers.reverse().reduce((below, c) => over(c, below, c[3]), [255, 255, 255]);
  };
  for (const svg of document.querySelectorAll("figure > svg")) {
    if (svg.clientWidth === 0) continue;
    const name = svg.closest("section").id;
    const box = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].filter((t) => t.textContent.trim() !== "")
      .map((text) => ({ text, at: text.getBoundingClientRect() }));
    texts.sort((a, b) => a.at.top - b.at.top);
    texts.forEach(({ text, at }, i) => {
      if (at.left < box.left - 1.5 || at.right > box.right + 1.5 || at.top < box.top - 3 || at.bottom > box.bottom + 3) {
        faults.push(name + ": a text leaves the plot: " + text.textContent);
      }
      for (let k = i + 1; k < texts.length && texts[k].at.top < at.bottom; k++) {
        const other = texts[k].at;
        const width = Math.min(at.right, other.right) - Math.max(at.left, other.left);
        const height = Math.min(at.bottom, other.bottom) - Math.max(at.top, other.top);
        if (width > 1.5 && height > 3.5) {
          faults.push(name + ": texts overlap: " + text.textContent + " | " + texts[k].text.textContent);
        }
      }
    });
    const rects = [...svg.querySelectorAll("rect")].map((rect) => {
      const style = getComputedStyle(rect);
      const fill = style.fill === "none" ? [0, 0, 0, 0] : numbers(style.fill);
      return { at: rect.getBoundingClientRect(), fill, share: fill[3] * Number(style.fillOpacity || 1) };
    });
    const below = ground(svg);
    for (const { text, at } of texts) {
      const ink = numbers(getComputedStyle(text).fill);
      for (const part of [0.1, 0.5, 0.9]) {
        const [x, y] = [at.left + at.width * part, at.top + at.height / 2];
        let colour = below;
        for (const { at: r, fill, share } of rects) {
          if (share > 0 && r.left <= x && r.right >= x && r.top <= y && r.bottom >= y) {
            colour = over(fill, colour, share);
          }
        }
        const value = ratio(ink, colour);
        if (value < 4.5) faults.push(name + ": contrast " + value.toFixed(2) + ": " + text.textContent);
      }
    }
    const label = svg.getAttribute("aria-label") ?? "";
    if (!/\d/.test(label)) faults.push(name + ": the description names no number: " + label.slice(0, 80));
    const table = [...svg.closest("section").querySelectorAll("button")].some((b) => b.textContent === "Table");
    if (!table) faults.push(name + ": no table behind the plot");
  }
  for (const e of document.querySelectorAll("body *")) {
    const isText = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim() !== "");
    if (!isText || e.closest("svg, script, style, noscript, .skip, .sr") || e.getClientRects().length === 0) continue;
    if (e.matches("option, :disabled")) continue;
    const value = ratio(numbers(getComputedStyle(e).color), ground(e));
    if (value < 4.5) {
      faults.push("contrast " + value.toFixed(2) + ": " + e.tagName + " " + e.textContent.trim().slice(0, 30));
    }
  }
  for (const e of document.querySelectorAll("button, input, select, [role=img], section, figure > svg")) {
    const isNamed = e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.textContent.trim();
    if (!isNamed && !e.hidden && !e.closest("[hidden]")) faults.push("without a name: " + e.outerHTML.slice(0, 80));
  }
  return [...new Set(faults)].slice(0, 12);
})()`;
