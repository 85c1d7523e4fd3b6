// The layout in a thread of its own. elkjs answers messages by itself where there is no document.
import 'elkjs/lib/elk-worker.min.js';
