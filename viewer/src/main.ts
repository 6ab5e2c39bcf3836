// Starts the page: what it shows is chosen by its JSON block.

import "uplot/dist/uPlot.min.css";
import "./viewer.css";
import { figures } from "./figures";
import { pageData } from "./data";
import { runPage } from "./runpage";
import type { RunPage } from "./run";

const page = pageData<RunPage | { kind: "figures" } | null>();
figures();
if (page?.kind === "run") {
  void runPage(page).then(() => {
    document.documentElement.dataset.ready = "yes";
  });
} else {
  document.documentElement.dataset.ready = "yes";
}
