// The page of one run.

import { pageData } from "../data";
import { opened } from "../dom";
import type { RunPage } from "../run";
import { runPage } from "../runpage";

void runPage(pageData<RunPage>()).then(opened);
