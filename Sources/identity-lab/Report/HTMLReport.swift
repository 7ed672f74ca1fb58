internal import FoundationEssentials

struct HTMLReport {
    let reports: [ApproachReport]
    let date: Date

    var html: String {
        PageFrame.html(
            title: "Comparison of sign-in approaches",
            head: """
                <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
                """,
            introduction: """
                This page records a run of each provider with each of the SDK's three entry points, at \(date.rfc3339). The page shows \
                names of fields, and the values of fields that are known to be harmless. Other values are replaced by
                """,
            main: "\(table)\n\(sections)"
        )
    }

    private var providers: [String] {
        reports.reduce(into: []) { if !$0.contains($1.provider) { $0.append($1.provider) } }
    }

    private var table: String {
        let head = (["Provider", "Entry point"] + ApproachFacts.head + ["Time"])
            .map { "<th scope=\"col\">\($0)</th>" }.joined()
        let rows = providers.map { provider in
            let group = reports.filter { $0.provider == provider }
            return "<tbody>" + group.enumerated().map { row($0, $1, of: group.count) }.joined(separator: "\n")
                + "</tbody>"
        }
        return """
            <div class="table" tabindex="0" role="region" aria-label="All approaches">
            <table><thead><tr>\(head)</tr></thead>
            \(rows.joined(separator: "\n"))
            </table></div>
            """
    }

    private func row(_ index: Int, _ report: ApproachReport, of count: Int) -> String {
        let provider =
            index == 0
            ? "<th scope=\"rowgroup\" rowspan=\"\(count)\"><a href=\"#\(anchor(report.provider))\">\(report.kind.html)</a><br>"
                + "<small>\(report.provider.html)</small></th>"
            : ""
        let cells = (report.facts.cells + [report.duration.readable]).map { "<td>\($0.html)</td>" }.joined()
        return "<tr>\(provider)<td>\(mark(report)) \(report.entryPoint)</td>\(cells)</tr>"
    }

    private func mark(_ report: ApproachReport) -> String {
        report.problem.map { "<span class=\"bad\" title=\"\($0.html)\">✗</span>" } ?? "<span class=\"good\">✓</span>"
    }

    private var sections: String {
        providers.map { provider in
            let group = reports.filter { $0.provider == provider }
            let name = anchor(provider)
            let inputs = group.enumerated().map { index, report in
                let id = "\(name)-\(report.entryPoint)"
                let checked = index == 0 ? " checked" : ""
                return "<input type=\"radio\" name=\"\(name)\" id=\"\(id)\"\(checked)>"
                    + "<label for=\"\(id)\">\(report.entryPoint) <small>\(report.duration.readable)</small></label>"
            }
            let panels = group.map { report in
                let problem = report.problem.map { "<p class=\"bad\">✗ \($0.html)</p>" } ?? ""
                return "<div class=\"panel\">\(problem)\(SequenceDiagram(report.steps).html)</div>"
            }
            return """
                <section class="approach" id="\(name)">
                <h2>\((group.first?.title ?? provider).html) <code>\(provider.html)</code></h2>
                <div class="tabs">\(inputs.joined())
                \(panels.joined(separator: "\n"))
                </div></section>
                """
        }.joined(separator: "\n")
    }

    /// Returns an HTML id for a provider; its number distinguishes names that differ only in replaced characters.
    private func anchor(_ provider: String) -> String {
        let index = providers.firstIndex(of: provider) ?? 0
        let name = provider.utf8.map {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) ? $0 : UInt8(ascii: "-")
        }
        return "p\(index)-\(String(decoding: name, as: UTF8.self))"
    }
}
