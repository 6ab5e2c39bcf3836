// Search in a site that is opened from a folder. Chromium starts no workers from files, so there the worker's script
// runs in a hidden frame, which has the page's origin. On a server the browser's own workers are used.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = this.onerror = this.onmessageerror = null;
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.setAttribute("aria-hidden", "true");
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      // What the worker's script expects around it: messages to the page, and other scripts on request.
      inside.postMessage = (data) => setTimeout(() => this.tell("message", new MessageEvent("message", { data })));
      inside.importScripts = (...urls) =>
        Promise.all(urls.map((one) => this.add(new URL(one, url).href)));
      inside.addEventListener("error", (event) => this.tell("error", event));
      this.add(new URL(url, location.href).href).then(() => {
        this.loaded = true;
        this.waiting.splice(0).forEach((data) => this.deliver(data));
      });
    }

    add(url) {
      return new Promise((done, failed) => {
        const script = this.frame.contentDocument.createElement("script");
        script.src = url;
        script.onload = done;
        script.onerror = failed;
        this.frame.contentDocument.body.append(script);
      });
    }

    tell(kind, event) {
      this[`on${kind}`]?.(event);
    }

    deliver(data) {
      this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }

    postMessage(data) {
      if (this.loaded) this.deliver(data);
      else this.waiting.push(data);
    }

    terminate() {
      this.frame.remove();
    }
  };
}
