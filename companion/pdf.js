// Functions that companion.pdf calls in the page that it prints.
({
  // Open what is folded, draw each figure once, and remove what is useful on a screen alone.
  prepare() {
    for (const fold of document.querySelectorAll('details')) fold.open = true;
    const screen = '.bd-sidebar, .bd-header, .bd-header-article, footer, .headerlink, .companion-pdf, .prev-next-area';
    for (const part of document.querySelectorAll(screen)) part.remove();
    for (const drawing of document.querySelectorAll('.companion-drawing')) {  // whole, not once a panel
      const [first, ...rest] = drawing.querySelectorAll('svg');
      const whole = first.querySelector('image');
      first.setAttribute('viewBox', `0 0 ${whole.getAttribute('width')} ${whole.getAttribute('height')}`);
      for (const part of rest) part.remove();
    }
  },

  // Write the contents with these page numbers; return the headings, with stars for formulas.
  contents(pages) {
    document.querySelector('nav.companion-contents')?.remove();
    const list = document.createElement('nav');
    list.className = 'companion-contents';
    list.innerHTML = '<p>Contents</p>';
    const headings = [...document.querySelectorAll('article section > h2, article section section > h3')];
    headings.forEach((heading, number) => {
      const line = document.createElement('a');
      line.className = `companion-${heading.tagName.toLowerCase()}`;
      line.href = '#' + heading.closest('section').id;
      line.innerHTML = `<span>${heading.textContent}</span><span>${pages[number] ?? ''}</span>`;
      list.append(line);
    });
    document.querySelector('article section').querySelector('h1').after(list);
    return headings.map(heading => {
      const copy = heading.cloneNode(true);
      for (const formula of copy.querySelectorAll('mjx-container')) formula.replaceWith('*');
      return copy.textContent.trim();
    });
  },

  // Let headings that just fit on a page, or just do not, begin the next one.
  breakBefore(moved) {
    const headings = [...document.querySelectorAll('article section > h2, article section section > h3')];
    for (const number of moved) headings[number].style.breakBefore = 'page';
  },
})
