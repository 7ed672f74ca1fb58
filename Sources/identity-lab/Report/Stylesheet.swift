enum Stylesheet {
    static let text = """
        :root { --page: light-dark(#f5f6f8, #121518); --card: light-dark(#fff, #1b1f24); --ink: light-dark(#1c2127, #e7eaee);
          --soft: light-dark(#5b6670, #9aa5b1); --line: light-dark(#dde2e8, #313840); --accent: light-dark(#2457c5, #8ab0ff);
          --good: light-dark(#16794a, #5fd39b); --bad: light-dark(#b3261e, #ff8f85); --fill: light-dark(#eef1f5, #242a31); }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
        header, main { max-width: 1360px; margin: 0 auto; padding: 0 1.5rem; }
        header { padding-top: 2rem; }
        h1 { margin: 0 0 .5rem; font-size: 1.7rem; line-height: 1.2; }
        h2 { margin: 0 0 .9rem; font-size: 1.2rem; line-height: 1.3; }
        header p { margin: 0 0 1.5rem; max-width: 60rem; color: var(--soft); }
        a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
        code, dl, .lane, b { font-family: ui-monospace, "DejaVu Sans Mono", monospace; }
        h2 code { margin-left: .4rem; padding: .1rem .45rem; font-size: .8rem; font-weight: 400; color: var(--soft);
          background: var(--fill); border-radius: .4rem; }
        .masked { color: var(--soft); letter-spacing: .08em; }
        .good { color: var(--good); } .bad { color: var(--bad); }
        .table, .approach { background: var(--card); border: 1px solid var(--line); border-radius: .8rem; }
        .table { overflow-x: auto; }
        table { width: 100%; border-collapse: collapse; font-size: .86rem; }
        th, td { padding: .4rem .6rem; text-align: left; vertical-align: top; }
        thead th { white-space: nowrap; color: var(--soft); font-weight: 600; border-bottom: 1px solid var(--line); }
        tbody + tbody tr:first-child > * { border-top: 1px solid var(--line); }
        tbody th { min-width: 8.5rem; font-weight: 600; } th small { font-weight: 400; color: var(--soft); } td { white-space: nowrap; }
        .approach { margin: 1.5rem 0; padding: 1.2rem 1.4rem; }
        .tabs { display: flex; flex-wrap: wrap; gap: .4rem; }
        .tabs > input { position: absolute; opacity: 0; }
        .tabs > label { padding: .3rem .8rem; border: 1px solid var(--line); border-radius: 2rem; cursor: pointer; font-size: .88rem; }
        .tabs > label small { color: var(--soft); }
        .tabs > input:checked + label { color: var(--card); background: var(--accent); border-color: var(--accent); }
        .tabs > input:checked + label small { color: inherit; opacity: .8; }
        .tabs > input:focus-visible + label { outline: 2px solid var(--accent); outline-offset: 2px; }
        .panel { order: 1; width: 100%; display: none; }
        .tabs > input:nth-of-type(1):checked ~ .panel:nth-of-type(1), .tabs > input:nth-of-type(2):checked ~ .panel:nth-of-type(2),
        .tabs > input:nth-of-type(3):checked ~ .panel:nth-of-type(3) { display: block; }
        .sequence { --width: min(46%, calc(var(--lanes) * 6.6rem)); margin-top: .8rem; }
        .heads { display: grid; grid-template-columns: repeat(var(--lanes), 1fr); width: var(--width); margin-left: 2rem;
          font-size: .78rem; font-weight: 600; text-align: center; position: sticky; top: 0; z-index: 1; background: var(--card); }
        .heads span { padding: .35rem .2rem; overflow-wrap: anywhere; }
        .sequence ol { margin: 0; padding: 0; list-style: none; }
        .sequence li { display: grid; grid-template-columns: 2rem var(--width) 1fr 7.5rem; align-items: stretch; border-top: 1px solid var(--line); }
        .number { padding-top: .5rem; font-size: .78rem; color: var(--soft); }
        .lane { position: relative; min-height: 2.7rem; background: linear-gradient(to right, transparent calc(50% - .5px),
          var(--line) 0 calc(50% + .5px), transparent 0) 0 0 / calc(100% / var(--lanes)) 100%; }
        .lane i { position: absolute; left: calc((var(--first) + .5) / var(--lanes) * 100%);
          width: calc(var(--span) / var(--lanes) * 100%); top: 1.05rem; border-top: 2px solid var(--accent); }
        .lane i.back { top: 1.7rem; border-top: 2px dashed var(--soft); }
        .lane i::after { content: ""; position: absolute; top: -6px; border: 5px solid transparent; }
        .lane i { color: var(--accent); } .lane i.back { color: var(--soft); }
        .lane.right i:not(.back)::after, .lane.left i.back::after { right: -2px; border-left: 8px solid; border-right: 0; }
        .lane.left i:not(.back)::after, .lane.right i.back::after { left: -2px; border-right: 8px solid; border-left: 0; }
        .failed .lane i { color: var(--bad); border-color: var(--bad); }
        .text { min-width: 0; padding: .4rem 0 .4rem 1.2rem; }
        .plain, summary { display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem .7rem; padding: .15rem 0; }
        summary { cursor: pointer; list-style: none; } summary::-webkit-details-marker { display: none; }
        summary::before { content: "▸"; color: var(--soft); margin-right: -.3rem; } details[open] > summary::before { content: "▾"; }
        .way { color: var(--soft); font-size: .82rem; }
        b { font-size: .82rem; font-weight: 600; overflow-wrap: anywhere; }
        .outcome { padding: 0 .45rem; font-size: .78rem; color: var(--good); background: var(--fill); border-radius: .4rem; }
        .failed .outcome { color: var(--bad); }
        .time { position: relative; align-self: start; height: 1.7rem; margin-top: .45rem; font-size: .78rem; color: var(--soft);
          text-align: right; }
        .time i { position: absolute; left: .6rem; bottom: 0; height: 3px; max-width: calc(100% - .6rem); background: var(--accent);
          border-radius: 2px; }
        .sequence li.phase { display: block; padding: .7rem 0 .3rem; font-size: .8rem; font-weight: 700; color: var(--accent); }
        .sequence li.phase + li { border-top: 0; }
        .parts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); gap: .8rem; padding: .5rem 0 .7rem; }
        .parts section { min-width: 0; padding: .6rem .8rem; background: var(--fill); border-radius: .6rem; }
        h4 { margin: 0; font-size: .8rem; } h5 { margin: .5rem 0 .2rem; font-size: .74rem; color: var(--soft); font-weight: 600; }
        dl { display: grid; grid-template-columns: fit-content(55%) 1fr; gap: .05rem .8rem; margin: 0; font-size: .76rem; }
        dt { padding-left: calc(var(--depth) * .9rem); color: var(--soft); overflow-wrap: anywhere; }
        dd { margin: 0; min-width: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
        @media (max-width: 760px) {
          header, main { padding: 0 .9rem; } header { padding-top: 1.2rem; }
          .approach { padding: 1rem .8rem; }
          .sequence { --width: calc(100% - 4.6rem); }
          .heads { margin-left: 0; font-size: .58rem; }
          .sequence li { grid-template-columns: 1.4rem 1fr 4.6rem; padding-bottom: .2rem; }
          .lane { grid-column: 1 / 3; grid-row: 2; min-height: 2.2rem; } .text { grid-column: 2 / -1; } .time { grid-column: 3; grid-row: 2; }
          .text { padding: .4rem 0 .2rem; } .heads span { padding: .35rem 0; }
          .lane i { top: .7rem; } .lane i.back { top: 1.35rem; }
          tbody th { position: sticky; left: 0; background: var(--card); min-width: 7.5rem; }
        }
        """
}
