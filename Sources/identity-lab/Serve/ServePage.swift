internal import FoundationEssentials
internal import IdentityKit
internal import IdentityWeb

/// The page of `serve`: two columns, each with a separate sign-in, and a table that compares them.
struct ServePage {
    let site: ServeSite
    let views: [ServeSite.Side: RunView]

    var html: String {
        PageFrame.html(
            title: "Compare sign-in approaches",
            head: "<script src=\"/serve.js\" defer></script>",
            style: Self.style,
            introduction: """
                Choose a provider and an entry point in each column and sign in with this browser. The diagrams grow while a sign-in runs: open the
                login page in a new tab to watch them. Values that are not known to be harmless are replaced by
                """,
            main: """
                <div class="columns">
                \(ServeSite.Side.allCases.map { column($0) }.joined(separator: "\n"))
                </div>
                \(comparison)
                \(site.services.sandbox == nil ? "" : sandbox)
                \(routes)
                """
        )
    }

    private func column(_ side: ServeSite.Side) -> String {
        let view = views[side]
        let providers = site.services.configuration.providers.map(\.name)
        return """
            <section class="column" id="\(side.rawValue)" data-revision="\(view?.revision ?? 0)" aria-label="\(side.rawValue) column">
            <form class="start" method="post" action="/columns/\(side.rawValue)/sign-in">
            \(hiddenToken)
            <label>Provider <select name="provider">\(options(providers.map { ($0, $0) }, view?.provider))</select></label>
            <label>Entry point <select name="entry_point">\(options(Self.entryPoints, view?.entryPoint.name))</select></label>
            <button class="primary">Sign in</button>
            </form>
            <div class="live" aria-live="polite">\(ServeColumn(side: side, view: view, token: site.token).live)</div>
            </section>
            """
    }

    private static let entryPoints = ServedRun.entryPoints.map { (value: $0.name, title: $0?.title ?? "web routes") }

    private func options(_ all: [(value: String, title: String)], _ chosen: String?) -> String {
        all.map { option in
            "<option value=\"\(option.value.html)\"\(option.value == chosen ? " selected" : "")>\(option.title.html)</option>"
        }.joined()
    }

    private var comparison: String {
        let views = ServeSite.Side.allCases.compactMap { self.views[$0] }
        guard !views.isEmpty else { return "" }
        let head = (["Sign-in"] + ApproachFacts.head).map { "<th scope=\"col\">\($0)</th>" }.joined()
        let rows = views.map { view in
            "<tr><th scope=\"row\">\(view.title.html)</th>"
                + view.facts.cells.map { "<td>\($0.html)</td>" }.joined() + "</tr>"
        }
        return """
            <div class="table" tabindex="0" role="region" aria-label="Comparison">
            <table><thead><tr>\(head)</tr></thead><tbody>\(rows.joined())</tbody></table></div>
            """
    }

    private var sandbox: String {
        let faults = ControlFault.allCases.map { ($0.rawValue, $0.title) }
        return """
            <section class="approach" id="sandbox">
            <h2>Sandbox</h2>
            <form method="post" action="/sandbox/expire">\(hiddenToken)
            <button>Let all access tokens expire</button> This advances the clock of the sandbox and of this program.</form>
            <form method="post" action="/sandbox/rotate">\(hiddenToken)
            <button>Rotate the signing keys</button> All providers then sign with new keys.</form>
            <form method="post" action="/sandbox/fault">\(hiddenToken)
            <label>Fault of the next request to the named endpoint, at each provider or at the shop: <select name="fault">\(options(faults, nil))</select></label>
            <button>Plan the fault</button></form>
            </section>
            """
    }

    private var routes: String {
        let callbacks = site.routes.callbackAddresses.map {
            "<dt>callback of \($0.provider.html)</dt><dd>\($0.address.html)</dd>"
        }
        let steps = site.recorder.recorded
        let diagram = steps.isEmpty ? "" : SequenceDiagram(steps).html
        return """
            <section class="approach" id="routes">
            <h2>Routes for other programs</h2>
            <dl>
            <dt>sign-in</dt><dd>\(site.origin.html)/auth/login/PROVIDER</dd>
            <dt>sign-in from a third party</dt><dd>\(site.origin.html)/auth/login?iss=ISSUER</dd>
            <dt>back-channel logout</dt><dd>\(site.origin.html)/auth/backchannel-logout/PROVIDER</dd>
            <dt>after a logout</dt><dd>\(site.origin.html)/auth/logout/done</dd>
            \(callbacks.joined(separator: "\n"))
            </dl>
            \(diagram)
            </section>
            """
    }

    private var hiddenToken: String { "<input type=\"hidden\" name=\"token\" value=\"\(site.token)\">" }

    /// A script that loads the changes of the columns, so that the diagrams grow while a sign-in runs.
    static let script = """
        "use strict";
        async function follow(column) {
          const live = column.querySelector(".live");
          for (;;) {
            await new Promise(done => setTimeout(done, document.hidden ? 3000 : 700));
            try {
              const response = await fetch(`/columns/${column.id}?after=${column.dataset.revision}`);
              if (!response.ok) continue;
              const change = await response.json();
              if (change.html === undefined) continue;
              column.dataset.revision = change.revision;
              live.innerHTML = change.html;
            } catch {
              // The program has ended or restarts; ask again.
            }
          }
        }
        document.querySelectorAll(".column").forEach(follow);

        """

    private static let style = """
        .columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 1rem; margin-bottom: 1.5rem; }
        .column { min-width: 0; padding: 1rem 1.2rem; background: var(--card); border: 1px solid var(--line); border-radius: .8rem; }
        form { display: flex; flex-wrap: wrap; align-items: end; gap: .5rem; margin: 0 0 .7rem; }
        label { font-size: .82rem; color: var(--soft); } .start label { display: grid; }
        select, button, .open { padding: .4rem .7rem; font: inherit; font-size: .9rem; color: var(--ink); background: var(--fill);
          border: 1px solid var(--line); border-radius: .5rem; max-width: 100%; }
        button, .open { cursor: pointer; } .primary, .open { color: var(--card); background: var(--accent); border-color: var(--accent); }
        .open { display: inline-block; } .open:hover { text-decoration: none; }
        :is(select, button, a):focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
        .actions { display: flex; flex-wrap: wrap; gap: .4rem; } .actions form { margin: 0; }
        .notice { padding: .5rem .8rem; background: var(--fill); border-radius: .6rem; overflow-wrap: anywhere; }
        .columns .sequence { --width: calc(100% - 4.6rem); }
        .columns .heads { margin-left: 0; font-size: .62rem; }
        .columns .sequence li { grid-template-columns: 1.4rem 1fr 4.6rem; padding-bottom: .2rem; }
        .columns .lane { grid-column: 1 / 3; grid-row: 2; min-height: 2.2rem; } .columns .text { grid-column: 2 / -1; }
        .columns .time { grid-column: 3; grid-row: 2; } .columns .text { padding: .4rem 0 .2rem; }
        .columns .lane i { top: .7rem; } .columns .lane i.back { top: 1.35rem; }
        .column dl { margin: .6rem 0; }
        """
}
