// A page of figures that were drawn when it was written, and every page without any.

import { opened } from "../dom";
import { figures } from "../figures";

figures();
opened();
