/// <reference lib="dom" />
/**
 * Elements of the page.
 * @module
 */

type Attributes = Readonly<
  Record<string, string | number | boolean | undefined | ((event: Event) => void)>
>;

/** An element with attributes, listeners (`onclick`) and children; `text` is its text. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string | undefined)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name === "text") element.textContent = String(value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

/** The first element that a selector finds. */
export function find<E extends Element = HTMLElement>(
  selector: string,
  at: ParentNode = document,
): E {
  return at.querySelector<E>(selector)!;
}

/** A button. */
export function button(text: string, act: () => void, label?: string): HTMLButtonElement {
  return el("button", { type: "button", text, "aria-label": label, onclick: act });
}

/** Buttons of which one is pressed. */
export function choice<T extends string>(
  label: string,
  options: readonly (readonly [value: T, text: string])[],
  now: T,
  pick: (value: T) => void,
): HTMLElement {
  const buttons = options.map(([value, text]) => {
    const one = button(text, () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === one));
      pick(value);
    });
    one.setAttribute("aria-pressed", String(value === now));
    return one;
  });
  return el("span", { class: "seg", role: "group", "aria-label": label }, ...buttons);
}

/** A section with a heading, which the contents name. */
export function section(
  view: string,
  title: string,
  width: string,
  ...controls: (HTMLElement | undefined)[]
): HTMLElement {
  const heading = el("h2", { id: `${view}-h`, text: title });
  const made = el(
    "section",
    { id: view, class: width, "aria-labelledby": `${view}-h` },
    el("div", { class: "head small" }, heading, ...controls),
  );
  find("main").append(made);
  find("nav.toc").append(el("a", { href: `#view=${view}`, "data-view": view, text: title }));
  return made;
}

/** Adds controls behind the heading of a section. */
export function addControls(section: HTMLElement, ...controls: HTMLElement[]): void {
  find(".head", section).append(...controls);
}
