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
      }
    }

    mark() {
      for (const chip of this.chips) chip.setAttribute("aria-pressed", !this.hidden.has(chip.dataset.key));
      const all = this.element.querySelector('[data-do="all"]');
      if (all) all.textContent = this.hidden.size ? "Show all" : "Hide all";
    }

    stress(key) {
      const focus = this.hidden.has(key) ? null : key;
      if (focus === this.focus) return;
      this.focus = focus;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.draw(), 60);
    }

    traces(panel) {
      const lines = panel.traces.map((trace) => ({ x: panel.shared, ...trace }));
      const bands = lines.filter((trace) => trace.customdata).map(band_trace);
      const runs = this.runs ? panel.runs.map(run_trace) : [];
      return [...bands, ...runs, ...lines].map((trace) => {
        const copy = { ...trace, visible: !this.hidden.has(trace.legendgroup) };
        if (trace.line) copy.line = { ...trace.line, color: colour(trace.line.color) };
        if (trace.marker) copy.marker = { ...trace.marker, color: colour(trace.marker.color) };
        if (trace.error_y) copy.error_y = { ...trace.error_y, color: colour(trace.error_y.color) };
        if (trace.fillcolor) copy.fillcolor = colour(trace.fillcolor);
        if (this.focus && trace.legendgroup !== this.focus) copy.opacity = 0.12 * (trace.opacity || 1);
        return copy;
      });
    }

    layout(panel, zoom) {
      const line = { gridcolor: css("--line"), linecolor: css("--soft"), tickcolor: css("--soft") };
      const untitled = { title: { text: "" } }; // the page has its own
      const scale = panel.scales[this.log ? "log" : "linear"];
      return {
        xaxis: axis({ ...panel.x, ...line, ...untitled }, zoom.x),
        yaxis: axis({ ...panel.y, ...scale, ...line, ...untitled, showgrid: !panel.rows }, zoom.y),
        font: { family: css("--font"), size: 12, color: css("--ink") },
        paper_bgcolor: "rgba(0,0,0,0)",
        plot_bgcolor: "rgba(0,0,0,0)",
        margin: { l: 8, r: 14, t: 6, b: 8 },
        showlegend: false,
        hovermode: "closest",
        hoverdistance: 30,
        hoverlabel: { bgcolor: css("--card"), bordercolor: css("--soft"), font: { color: css("--ink"), size: 13 } },
        dragmode: coarse ? false : "zoom",
      };
    }

    draw() {
      const config = { displayModeBar: false, responsive: true, showTips: false, doubleClick: false };
      this.panels.forEach((panel, i) => {
        Plotly.react(this.plots[i], this.traces(panel), this.layout(panel, this.zoom[i]), config);
        if (!this.drawn) this.follow(this.plots[i], i);
      });
      this.drawn = true;
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
      plot.on("plotly_doubleclick", () => { this.zoom[i] = {}; this.draw(); });
    }
  }

  // A tick for each power of ten where several are in view; 20k and 50k between them where not.
  function axis(own, view = own.range) {
    const range = [...view]; // plotly writes into it
    if (own.tickvals || own.type !== "log") return { ...own, range, tickformat: own.tickvals ? "" : "~s" };
    const decades = range[1] - range[0];
    if (decades >= 1.7) return { ...own, range, dtick: Math.ceil(decades / 8), tickformat: "" };
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
