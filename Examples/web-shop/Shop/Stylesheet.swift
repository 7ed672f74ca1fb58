internal import IdentityHTTP
internal import IdentityWeb

extension WebShop {
    static var stylesheet: WebResponse {
        var headers = HTTPHeaders()
        try? headers.set("Content-Type", "text/css; charset=utf-8")
        try? headers.set("Cache-Control", "public, max-age=300")
        try? headers.set("X-Content-Type-Options", "nosniff")
        return WebResponse(status: 200, headers: headers, body: Array(css.utf8))
    }

    private static let css = """
        :root { color-scheme: light dark; --ink: light-dark(#191c22, #e9ebef); --soft: light-dark(#5b6472, #a5aebb);
          --paper: light-dark(#fff, #1c2027); --ground: light-dark(#f4f5f7, #121519); --line: light-dark(#dde1e7, #343b45);
          --accent: light-dark(#1d4ed8, #8fb1ff); --on-accent: light-dark(#fff, #0c1730); --bad: light-dark(#a3161b, #ffb1b1); }
        *, ::before, ::after { box-sizing: border-box; }
        body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
        a { color: var(--accent); }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .skip, .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
        .skip:focus { z-index: 2; width: auto; height: auto; clip-path: none; padding: .5rem 1rem; background: var(--paper); }
        header { position: sticky; top: 0; z-index: 1; background: var(--paper); border-bottom: 1px solid var(--line); }
        header nav { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.5rem; max-width: 76rem; margin: 0 auto;
          padding: .75rem 1rem; }
        header a { color: inherit; text-decoration: none; font-weight: 600; }
        .name { font-size: 1.2rem; }
        .search { display: flex; flex: 1 1 16rem; gap: .5rem; max-width: 32rem; }
        .search input { flex: 1; min-width: 0; }
        .links { display: flex; gap: 1.25rem; margin-left: auto; max-width: 100%; }
        .account { overflow: hidden; max-width: 14rem; text-overflow: ellipsis; white-space: nowrap; }
        main { max-width: 76rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
        footer { padding: 1.5rem 1rem; border-top: 1px solid var(--line); color: var(--soft); text-align: center; font-size: .875rem; }
        h1 { margin: 0 0 1rem; font-size: 1.75rem; line-height: 1.2; overflow-wrap: break-word; }
        h2 { margin: 2rem 0 .75rem; font-size: 1.15rem; }
        small, .support { color: var(--soft); font-size: .875rem; }
        input { padding: .55rem .7rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--paper); color: inherit;
          font: inherit; }
        button, .button { display: inline-block; padding: .6rem 1.1rem; border: 1px solid var(--accent); border-radius: .5rem;
          background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; text-align: center; text-decoration: none;
          cursor: pointer; }
        button.plain, .button.plain, .search button { border-color: var(--line); background: var(--paper); color: var(--ink); }
        ul { margin: 0; padding: 0; list-style: none; }
        .notice { padding: .7rem 1rem; border: 1px solid var(--line); border-left: .3rem solid var(--accent); border-radius: .5rem;
          background: var(--paper); }
        .notice.refused, .notice.stock { border-left-color: var(--bad); }
        .chips, .tags { display: flex; flex-wrap: wrap; gap: .5rem; margin-bottom: 1.25rem; }
        .chips a, .tags li { display: block; padding: .3rem .8rem; border: 1px solid var(--line); border-radius: 1rem;
          background: var(--paper); color: inherit; text-decoration: none; font-size: .9rem; }
        .chips [aria-current] { border-color: var(--accent); color: var(--accent); }
        .grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 45%), 1fr)); gap: 1rem; }
        .card a { display: flex; flex-direction: column; gap: .15rem; height: 100%; padding-bottom: .8rem; overflow: hidden;
          border: 1px solid var(--line); border-radius: .75rem; background: var(--paper); color: inherit; text-decoration: none; }
        .card span { padding: 0 .9rem; }
        .card a:hover .title { text-decoration: underline; }
        .picture { display: block; width: 100%; height: auto; aspect-ratio: 4 / 3; object-fit: cover; background: #eceef2; }
        .card .picture { margin-bottom: .6rem; padding: 0; }
        .title { font-weight: 600; }
        .price { color: var(--soft); white-space: nowrap; }
        .badge { align-self: flex-start; color: var(--bad); font-weight: 600; }
        .more { text-align: center; margin-top: 1.5rem; }
        .product { display: grid; grid-template-columns: minmax(0, 1.1fr) minmax(0, 1fr); gap: 2rem; }
        .product .picture { border-radius: .75rem; }
        .product p.price { font-size: 1.2rem; }
        .gallery { display: grid; grid-template-columns: repeat(5, 1fr); gap: .5rem; margin-top: .5rem; }
        fieldset { margin: 0 0 1rem; padding: 0; border: 0; }
        legend { margin-bottom: .4rem; font-weight: 600; }
        .variants { display: flex; flex-wrap: wrap; gap: .5rem; }
        .variants legend { float: left; width: 100%; }
        .variants input { position: absolute; opacity: 0; }
        .variants span { display: block; padding: .45rem .9rem; border: 1px solid var(--line); border-radius: .5rem;
          background: var(--paper); cursor: pointer; }
        .variants :checked + span { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
        .variants :disabled + span { opacity: .55; cursor: not-allowed; text-decoration: line-through; }
        .variants :focus-visible + span { outline: 3px solid var(--accent); outline-offset: 2px; }
        .quantity input { width: 5rem; }
        .product .quantity { display: block; margin-bottom: 1rem; font-weight: 600; }
        .whose { color: var(--soft); }
        .lines .picture { width: 5rem; border-radius: .5rem; }
        .lines li { display: grid; grid-template-columns: 5rem 1fr auto 7rem; align-items: center; gap: .75rem 1.5rem; padding: 1rem 0;
          border-bottom: 1px solid var(--line); }
        .lines form { display: flex; flex-wrap: wrap; gap: .5rem; }
        .lines .price { text-align: right; }
        .sum { margin-top: 1.5rem; text-align: right; }
        .sum strong { margin-left: 1rem; font-size: 1.25rem; }
        section h2 { margin-top: 1.25rem; }
        section { margin-bottom: 2rem; padding: 0 1.25rem 1.25rem; border: 1px solid var(--line); border-radius: .75rem;
          background: var(--paper); overflow-x: auto; }
        .fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(16rem, 100%), 1fr)); gap: 1rem; align-items: end; }
        .fields label { display: grid; gap: .25rem; font-weight: 600; }
        .addresses { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(16rem, 100%), 1fr)); gap: 1rem;
          margin-bottom: 1rem; }
        .addresses form { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: .5rem; }
        .fields input { font-weight: 400; }
        address { font-style: normal; }
        summary { padding: .5rem 0; cursor: pointer; color: var(--accent); font-weight: 600; }
        .signout { display: flex; flex-wrap: wrap; gap: .75rem; padding: 0; border: 0; background: none; }
        table { width: 100%; border-collapse: collapse; }
        th, td { padding: .5rem .5rem .5rem 0; border-bottom: 1px solid var(--line); text-align: left; }
        .signin main { max-width: 26rem; margin: 4rem auto; padding: 2rem; border: 1px solid var(--line); border-radius: 1rem;
          background: var(--paper); }
        .signin .button, .signin button { display: block; width: 100%; margin-top: .6rem; }
        code { overflow-wrap: anywhere; }
        @media (max-width: 40rem) {
          header { position: static; }
          .search { order: 3; flex-basis: 100%; }
          .product { grid-template-columns: minmax(0, 1fr); gap: 1rem; }
          .lines li { grid-template-columns: 5rem 1fr auto; }
          .lines form { grid-column: 1 / -1; grid-row: 2; }
          .signin main { margin: 0; min-height: 100vh; border: 0; border-radius: 0; }
        }
        """
}
