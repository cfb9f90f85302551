"""The web page: static files without a build step, and an export of it as one file.

::

    index.html      the served page; `style.css`, `icon.svg`
    js/app.js       archives, views; `api.js` talks to the server; `problems.js`; `filters.js`
    js/ask.js       the question and its thread; `start.js` before it, `picture.js`, `share.js`
    js/result.js    what became of it: `cards.js`, `graph.js`, `phrases.js`, `how.js`; `model.js`
    js/memory.js    one memory: `conversation.js`, `pages.js` (of a document), `edit.js`
    js/browse.js    the archive: `sections.js` (months), `gallery.js`, `episodes.js`, `world.js`
    js/bring.js     uploads and jobs; `invite.js`; `settings.js`, `access.js` (keys)
    words/          a catalogue for each language; `js/words.js`, `js/language.js`
    export.py       one file with a trace in it: `export.template`, `js/exported.js`
"""

from graphmemix.serve.page.export import write_page

__all__ = ["write_page"]
