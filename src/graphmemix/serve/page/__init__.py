"""The web page: static files without a build step, and an export of it as one file.

::

    index.html    the served page; `style.css`, `icon.svg`
    js/app.js     archives, views, keys; `api.js` talks to the server
    js/ask.js     the question, its picture, the answer as it comes; `browse.js` the archive
    js/result.js  what became of it: `graph.js`, `plots.js`, `memory.js`, from `model.js`
    export.py     one file with a trace in it: `export.template`, `js/exported.js`
"""

from graphmemix.serve.page.export import write_page

__all__ = ["write_page"]
