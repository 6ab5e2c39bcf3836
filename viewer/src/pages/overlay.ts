// A page that shows two of several runs on one axis, beside figures.

import { pageData } from "../data";
import { opened } from "../dom";
import { figures } from "../figures";
import { overlayPage, type OverlayPage } from "../overlay/page";

figures();
void overlayPage(pageData<OverlayPage>()).then(opened);
