"use strict";
// Draws the charts of the page from the data beside them, again whenever a button or the theme says so.
(() => {
  const root = document.documentElement;
  const coarse = matchMedia("(pointer: coarse)").matches;
  const wished = matchMedia("(prefers-color-scheme: dark)");
  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const colour = (hex) => (hex && css("--c-" + hex.slice(1).toLowerCase())) || hex;

  class Figure {
    constructor(element) {
      this.element = element;
      this.panels = JSON.parse(element.querySelector("script.data").textContent);
      this.plots = [...element.querySelectorAll(".plot")];
      this.chips = [...element.querySelectorAll(".chip")];
      this.hidden = new Set();
      this.focus = null;
      this.runs = false;
      this.log = this.panels.some((panel) => panel.y.type === "log");
      this.drawn = false;
      this.zoom = this.panels.map(() => ({}));
      // On a phone the names of grey lines would push the lines off the screen.
      if (innerWidth <= 640) element.querySelectorAll(".rest").forEach((rest) => { rest.open = false; });
      this.listen();
    }

    listen() {
      const on = (name, act) => {
        const button = this.element.querySelector(`[data-do="${name}"]`);
        if (button) button.addEventListener("click", () => { act(button); this.draw(); });
      };
      on("log", (button) => { this.zoom = this.panels.map(() => ({})); this.log = !this.log; button.setAttribute("aria-pressed", this.log); });
      on("runs", (button) => { this.runs = !this.runs; button.setAttribute("aria-pressed", this.runs); });
      on("all", () => {
        this.hidden = new Set(this.hidden.size ? [] : this.chips.map((chip) => chip.dataset.key));
        this.mark();
      });
      for (const chip of this.chips) {
        const key = chip.dataset.key;
        chip.addEventListener("click", () => {
          if (!this.hidden.delete(key)) this.hidden.add(key);
          this.focus = null;
          this.mark();
          this.draw();
        });
        chip.addEventListener("dblclick", () => {
          this.hidden = new Set(this.chips.map((each) => each.dataset.key).filter((each) => each !== key));
          this.mark();
          this.draw();
        });
        chip.addEventListener("pointerenter", (event) => { if (event.pointerType === "mouse") this.stress(key); });
        chip.addEventListener("pointerleave", () => this.stress(null));
        chip.addEventListener("focus", () => { if (chip.matches(":focus-visible")) this.stress(key); });
        chip.addEventListener("blur", () => this.stress(null));
      }
    }

    mark() {
      for (const chip of this.chips) chip.setAttribute("aria-pressed", !this.hidden.has(chip.dataset.key));
      const all = this.element.querySelector('[data-do="all"]');
      if (all) all.textContent = this.hidden.size ? "Show all" : "Hide all";
    }

    // Stressing changes what is drawn already: a new drawing would take the numbers at the pointer away.
    stress(key) {
      const focus = this.hidden.has(key) ? null : key;
      if (focus === this.focus) return;
      this.focus = focus;
      this.paint();
    }

    paint() {
      for (const plot of this.plots) {
        (plot._fullData || []).forEach((trace) => {
          const group = plot.querySelector(`.trace${trace.uid}`);
          if (!group || FIXED.includes(trace.legendgroup)) return;
          const touched = trace.legendgroup === this.focus;
          group.style.opacity = (this.focus && !touched ? 0.25 : 1) * (trace.opacity ?? 1);
          if (trace.meta && trace.meta.quiet) tint(group, touched, trace.meta.colour);
        });
      }
    }

    traces(panel) {
      const lines = panel.traces.map((trace) => ({ x: panel.shared, ...trace }));
      const bands = lines.filter((trace) => trace.customdata && !trace.meta.quiet).map(band_trace);
      const runs = this.runs ? panel.runs.map(run_trace) : [];
      return [...bands, ...runs, ...lines].map((trace) => {
        const copy = { ...trace, visible: !this.hidden.has(trace.legendgroup) };
        if (trace.line) copy.line = { ...trace.line, color: colour(trace.line.color) };
        if (trace.marker) copy.marker = { ...trace.marker, color: colour(trace.marker.color) };
        for (const bar of ["error_x", "error_y"]) if (trace[bar]) copy[bar] = { ...trace[bar], color: colour(trace[bar].color) };
        if (trace.fillcolor) copy.fillcolor = colour(trace.fillcolor);
        return copy;
      });
    }

    layout(panel, zoom, plot) {
      const names = this.names(panel, zoom, plot);
      const line = { gridcolor: css("--line"), linecolor: css("--soft"), tickcolor: css("--soft") };
      const untitled = { title: { text: "" } }; // the page has its own
      const scale = panel.scales[this.log ? "log" : "linear"];
      return {
        xaxis: { ...axis({ ...panel.x, ...line, ...untitled }, zoom.x, plot.clientWidth / 48), tickangle: 0 },
        yaxis: axis({ ...panel.y, ...scale, ...line, ...untitled, showgrid: !panel.rows }, zoom.y),
        font: { family: css("--font"), size: 12, color: css("--ink") },
        paper_bgcolor: "rgba(0,0,0,0)",
        plot_bgcolor: "rgba(0,0,0,0)",
        margin: { l: 8, r: names.width, t: panel.reference ? 20 : 6, b: 8 },
        annotations: names.annotations,
        showlegend: false,
        hovermode: "closest",
        hoverdistance: 30,
        hoverlabel: { bgcolor: css("--card"), bordercolor: css("--soft"), font: { color: css("--ink"), size: 13 } },
        dragmode: coarse ? false : "zoom",
      };
    }

    // Names at the ends of lines, texts beside dots, and the name of the line among the dots.
    names(panel, zoom, plot) {
      const found = panel.reference ? [reference_name(panel)] : [];
      const common = { xref: "paper", x: 1, xanchor: "left", xshift: 4, showarrow: false, align: "left" };
      const wide = plot.clientWidth;
      const texts = panel.traces.filter((trace) => trace.meta && trace.meta.text);
      for (const trace of texts) {
        found.push({ ...common, yref: "y", y: trace.y[0], text: trace.meta.text, font: { size: 11, color: css("--soft") } });
      }

      const scale = panel.scales[this.log ? "log" : "linear"] || panel.y;
      const [low, high] = zoom.y || scale.range;
      const named = panel.traces.filter((trace) => trace.meta && trace.meta.end && !trace.meta.quiet && !this.hidden.has(trace.legendgroup));
      const height = Math.max(80, plot.clientHeight - 46);
      const share = (y) => ((scale.type === "log" ? Math.log10(y) : y) - low) / (high - low);
      const wanted = named.map((trace) => Math.min(1, Math.max(0, share(last(trace.y)) || 0)));
      const most = 0.36 * wide;
      spread(wanted, 13 / height).forEach((at, i) => {
        const { meta, line } = named[i];
        // the text in ink, since a light colour is hard to read
        const text = `<span style="color:${colour(line.color)}">${DASH}</span>${escaped(fitting(meta.end, most))}`;
        found.push({ ...common, yref: "paper", y: at, yanchor: "middle", text, font: { size: 11, color: css("--ink") } });
      });
      const room = [...named.map((trace) => trace.meta.end), ...texts.map((trace) => trace.meta.text)].map(width_of);
      const dash = named.length ? width_of(DASH) : 0;
      return { annotations: found, width: room.length ? Math.min(most, Math.max(...room)) + dash + 10 : 14 };
    }

    draw() {
      const config = { displayModeBar: false, responsive: true, showTips: false, doubleClick: false };
      this.panels.forEach((panel, i) => {
        Plotly.react(this.plots[i], this.traces(panel), this.layout(panel, this.zoom[i], this.plots[i]), config);
        if (!this.drawn) this.follow(this.plots[i], i);
      });
      this.drawn = true;
      this.paint();
      this.element.dataset.drawn = "yes";
    }

    follow(plot, i) {
      plot.on("plotly_relayout", (change) => {
        for (const which of ["x", "y"]) {
          const ends = [0, 1].map((end) => change[`${which}axis.range[${end}]`]);
          if (ends[0] !== undefined) this.zoom[i][which] = ends;
        }
        this.draw();
      });
      plot.on("plotly_hover", (event) => this.stress(event.points[0].data.legendgroup));
      plot.on("plotly_unhover", () => this.stress(null));
      plot.on("plotly_doubleclick", () => { this.zoom[i] = {}; this.draw(); });
    }
  }

  const FIXED = ["claimed", "active", "re-entry"]; // what stands for no policy
  const DASH = "━ "; // before a name, in the colour of its line
  const last = (values) => values.filter((each) => each !== null).at(-1);
  const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

  const pen = document.createElement("canvas").getContext("2d");
  function width_of(text) {
    pen.font = `11px ${css("--font")}`;
    return pen.measureText(text).width;
  }
  function fitting(text, most) {
    let short = text;
    while (short.length > 3 && width_of(short) > most) short = `${short.slice(0, -2)}…`;
    return short;
  }

  // Heights between 0 and 1, near those wanted and in their order, at least `apart` apart: as labels.py has it.
  function spread(wanted, apart) {
    const order = wanted.map((_, i) => i).sort((i, j) => wanted[i] - wanted[j]);
    const step = Math.min(apart, 1 / Math.max(1, wanted.length - 1));
    const lowest = (group) => {
      const high = step * (group.length - 1);
      const centre = group.reduce((sum, i) => sum + wanted[i], 0) / group.length;
      return Math.max(0, Math.min(centre - high / 2, 1 - high));
    };
    const groups = [];
    for (const i of order) {
      groups.push([i]);
      while (groups.length > 1 && lowest(groups.at(-1)) < lowest(groups.at(-2)) + step * groups.at(-2).length) {
        const above = groups.pop();
        groups.at(-1).push(...above);
      }
    }
    const heights = [...wanted];
    for (const group of groups) group.forEach((i, n) => { heights[i] = lowest(group) + n * step; });
    return heights;
  }

  function reference_name(panel) {
    const [at, name] = panel.reference;
    const x = panel.x.type === "log" ? Math.log10(at) : at;
    return { xref: "x", x, yref: "paper", y: 1, yanchor: "bottom", showarrow: false, text: escaped(name), font: { size: 12, color: colour("#0072B2") } };
  }

  // A quiet line or dot has its own colour while it is touched.
  function tint(group, touched, own) {
    const paint = touched ? colour(own) : css("--faint");
    for (const path of group.querySelectorAll("path.js-line")) { path.style.stroke = paint; path.style.strokeWidth = touched ? "2.6px" : "1px"; }
    for (const path of group.querySelectorAll("path.point")) path.style.fill = paint;
    for (const path of group.querySelectorAll(".errorbars path")) path.style.stroke = paint;
  }

  // A tick for each power of ten where several are in view; 20k and 50k between them where not.
  function axis(own, view = own.range, most = 8) {
    const range = [...view]; // plotly writes into it
    const plain = Math.abs(range[1]) <= 1 ? "~g" : "~s"; // 0.3, not 300m
    if (own.tickvals || own.type !== "log") return { ...own, range, tickformat: own.tickvals ? "" : plain };
    const decades = range[1] - range[0];
    if (decades >= 1.7) return { ...own, range, dtick: Math.ceil(decades / Math.min(8, Math.max(3, most))), tickformat: "" };
    return { ...own, range, dtick: decades > 0.6 ? "D2" : null, tickformat: range[0] >= 0 ? "~s" : "~g" };
  }

  function band_trace({ x, customdata, line, legendgroup }) {
    const y = [...customdata.map((pair) => pair[1]), ...customdata.map((pair) => pair[0]).reverse()];
    const look = { fill: "toself", fillcolor: line.color, opacity: 0.16, line: { width: 0 } };
    return { type: "scatter", mode: "lines", x: [...x, ...[...x].reverse()], y, ...look, hoverinfo: "skip", legendgroup };
  }

  function run_trace(run) {
    const x = [], y = [];
    for (const each of run.runs) { x.push(...run.x, null); y.push(...each, null); }
    const line = { color: run.color, width: 0.8 };
    return { type: "scatter", mode: "lines", x, y, line, opacity: 0.4, hoverinfo: "skip", legendgroup: run.key, meta: "runs" };
  }

  const figures = [...document.querySelectorAll("figure.chart")].map((element) => new Figure(element));
  const redraw = () => figures.filter((figure) => figure.drawn).forEach((figure) => figure.draw());

  const button = document.getElementById("theme");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : wished.matches);
  const remember = (theme) => { try { localStorage.setItem("theme", theme); } catch (error) { console.info("not kept:", error.message); } };
  const recall = () => { try { return localStorage.getItem("theme"); } catch (error) { return null; } };
  const told = () => { button.textContent = dark() ? "Light" : "Dark"; button.setAttribute("aria-label", `${button.textContent} colours`); };
  if (recall()) root.dataset.theme = recall();
  told();
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    remember(root.dataset.theme);
    told();
    redraw();
  });
  wished.addEventListener("change", () => { told(); redraw(); });

  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((each) => each.isIntersecting)) {
      seen.unobserve(entry.target);
      figures.find((figure) => figure.element === entry.target).draw();
    }
  }, { rootMargin: "600px" });
  figures.forEach((figure) => seen.observe(figure.element));

  let before;
  addEventListener("beforeprint", () => { before = root.dataset.theme; root.dataset.theme = "light"; figures.forEach((figure) => figure.draw()); });
  addEventListener("afterprint", () => { if (before) root.dataset.theme = before; else delete root.dataset.theme; redraw(); });
})();
