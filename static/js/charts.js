// Draws every [data-chart-url]: the server sends the figure as plain JSON (aggregates only), this file gives it
// the colours of the tokens and follows the theme. A trace names a colour by a token: {"marker": {"color": "after"}}.
const TOKENS = ["ink", "muted", "line", "surface", "before", "after", "third", "fourth", "fifth", "limit"];

const swatches = () => {
  const colours = {};
  for (const token of TOKENS) {
    let swatch = document.querySelector(`.chart-swatch[data-token="${token}"]`);
    if (!swatch) {
      swatch = document.createElement("span");
      swatch.className = "chart-swatch";
      swatch.dataset.token = token;
      document.body.append(swatch);
    }
    colours[token] = getComputedStyle(swatch).color;
  }
  return colours;
};

const painted = (value, colours, key = "") => {
  if (Array.isArray(value)) return value.map((entry) => painted(entry, colours, key));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, painted(entry, colours, name)]));
  }
  return typeof value === "string" && /color/i.test(key) && colours[value] ? colours[value] : value;
};

const axis = (given, colours, grid) => ({
  showgrid: grid, gridcolor: colours.line, linecolor: colours.line, zerolinecolor: colours.line,
  tickfont: { color: colours.muted }, automargin: true, fixedrange: true,
  ...given,
  title: { ...(typeof given?.title === "string" ? { text: given.title } : given?.title), font: { color: colours.muted, size: 13 } },
});

const layoutOf = (figure, colours) => {
  const layout = painted(figure.layout || {}, colours);
  const bars = (figure.data || []).every((trace) => trace.type === "bar");
  const axes = Object.keys({ xaxis: 1, yaxis: 1, ...layout }).filter((name) => /^[xy]axis\d*$/.test(name));
  return {
    margin: { l: 56, r: 16, t: 8, b: 48 },
    colorway: [colours.before, colours.after, colours.third, colours.fourth, colours.fifth],
    legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" },
    hoverlabel: { bgcolor: colours.surface, bordercolor: colours.line, font: { color: colours.ink } },
    bargap: 0.3, bargroupgap: 0.08,
    ...layout,
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: colours.ink },
    ...Object.fromEntries(axes.map((name) => [name, axis(layout[name], colours, name[0] === "y" || !bars)])),
  };
};

const draw = (box, figure) => {
  const colours = swatches();
  const config = { displayModeBar: false, responsive: true, displaylogo: false };
  return Plotly.react(box, painted(figure.data, colours), layoutOf(figure, colours), config);
};

// Bars that would be too thin to tell apart stand in a figure that scrolls sideways.
const roomFor = ({ data, layout }) => {
  const barred = data.every((trace) => trace.type === "bar" || trace.error_y);
  return barred ? (layout?.xaxis?.categoryarray?.length ?? 0) * Math.max(12, 8 * data.length) + 80 : 0;
};

const widen = (box, width) => {
  const scroller = document.createElement("div");
  Object.assign(scroller, { className: "plot-scroll", tabIndex: 0, role: "group" });
  scroller.setAttribute("aria-label", "The chart, scrolls sideways");
  box.replaceWith(scroller);
  scroller.append(box);
  box.style.width = `${width}px`;
};

const load = async (box) => {
  const answer = await fetch(box.dataset.chartUrl, { headers: { Accept: "application/json" } });
  if (!answer.ok) {
    box.textContent = "The chart could not be loaded. The table below has the same figures.";
    return;
  }
  box.figure = await answer.json();
  if (roomFor(box.figure) > box.clientWidth) widen(box, roomFor(box.figure));
  await draw(box, box.figure);
  // A point that leads somewhere; the same places are links elsewhere on the page, for the keyboard.
  box.on("plotly_click", ({ points }) => {
    const href = points[0]?.data.meta?.href;
    if (href?.startsWith("/")) location.assign(href);
  });
  box.dataset.drawn = "yes";
};

// What stands in a closed part of the page has no width yet: it is drawn when the part opens.
const loadAll = () => document.querySelectorAll("[data-chart-url]:not([data-seen])").forEach((box) => {
  if (!box.offsetParent) return;
  box.dataset.seen = "yes";
  load(box);
});

loadAll();
document.addEventListener("toggle", loadAll, true);
document.addEventListener("htmx:afterSettle", loadAll);
document.addEventListener("theme-changed", () => {
  document.querySelectorAll("[data-drawn]").forEach((box) => draw(box, box.figure));
});
