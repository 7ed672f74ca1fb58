internal import FoundationEssentials
internal import IdentityKit

/// The part of a column of the `serve` page that the page's script replaces.
struct ServeColumn {
    let side: ServeSite.Side
    let view: RunView?
    let token: String

    var live: String {
        guard let view else { return "<p class=\"notice\">No sign-in has begun in this column.</p>" }
        let notice =
            view.notice.isEmpty
            ? "" : "<p class=\"notice\(view.isError ? " bad" : "")\" role=\"status\">\(view.notice.html)</p>"
        return """
            <h2>\(view.title.html)</h2>
            \(notice)
            \(phase(view))
            \(SequenceDiagram(view.steps).html)
            """
    }

    private func phase(_ view: RunView) -> String {
        switch view.phase {
        case .waiting:
            return """
                <p><a class="open" href="\(link)">Open the login page</a>
                <a href="\(link)" target="_blank" rel="noopener">in a new tab</a></p>
                """
        case .signedIn(let session):
            let buttons = ServedRun.Action.allCases.map { button($0) }.joined()
            return "<div class=\"actions\">\(buttons)</div>\(facts(session))"
        case .ended(.some):
            return "<p><a class=\"open\" href=\"\(link)\">Sign out at the provider, too</a></p>"
        case .ended(nil), .failed:
            return ""
        }
    }

    /// A link that redirects to the provider's page, because that page's address contains values that this page must not show.
    private var link: String { "/columns/\(side.rawValue)/open" }

    private func button(_ action: ServedRun.Action) -> String {
        """
        <form method="post" action="/columns/\(side.rawValue)/\(action.rawValue)"><input type="hidden" name="token" value="\(token)">\
        <button>\(action.title)</button></form>
        """
    }

    private func facts(_ session: Session) -> String {
        var rows = [
            ("subject", session.buyer.subject), ("issuer", session.buyer.issuer),
            ("scopes", session.scopes.joined(separator: " ")),
            ("access token expires", session.expiresAt?.rfc3339 ?? "unknown"),
            ("can be refreshed", session.isRefreshable ? "yes" : "no"),
        ]
        if let reason = session.endReason { rows.append(("ended", reason.rawValue)) }
        if session.isAttackSuspected { rows.append(("attack suspected", "yes: sign in again")) }
        let claims = (session.claims?.all.members ?? []).map { member in
            (member.name, member.value.string ?? String(decoding: member.value.serialized, as: UTF8.self))
        }
        return list("Session", rows) + (claims.isEmpty ? "" : list("Claims of the verified ID token", claims))
    }

    private func list(_ title: String, _ rows: [(String, String)]) -> String {
        let items = rows.map { "<dt>\($0.0.html)</dt><dd>\($0.1.html)</dd>" }.joined()
        return "<details open><summary>\(title)</summary><dl>\(items)</dl></details>"
    }
}

struct RunView: Sendable {
    var title: String
    var provider: String
    var entryPoint: LoginEntryPoint?
    var phase: ServedRun.Phase
    var notice: String
    var isError: Bool
    var facts: ApproachFacts
    var steps: [RecordedStep]
    /// A number that grows with each change.
    var revision: Int
}
