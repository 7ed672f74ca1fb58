struct SequenceDiagram {
    let steps: [RecordedStep]
    private let lanes: [Participant]
    private let longest: Duration

    init(_ steps: [RecordedStep]) {
        self.steps = steps
        var lanes: [Participant] = [.browser, .app]
        for party in steps.flatMap({ [$0.from, $0.to] }) where !lanes.contains(party) { lanes.append(party) }
        if let index = lanes.firstIndex(of: .store) { lanes.insert(lanes.remove(at: index), at: 2) }
        self.lanes = lanes
        longest = steps.compactMap(\.duration).max() ?? .zero
    }

    var html: String {
        let heads = lanes.map { "<span>\($0.title.html)</span>" }.joined()
        var phase = ""
        let rows = steps.enumerated().map { index, step in
            defer { phase = step.phase }
            return (step.phase == phase ? "" : "<li class=\"phase\">\(step.phase.html)</li>\n") + row(index + 1, step)
        }.joined(separator: "\n")
        return """
            <div class="sequence" style="--lanes:\(lanes.count)">
            <div class="heads" aria-hidden="true">\(heads)</div>
            <ol>
            \(rows)
            </ol>
            </div>
            """
    }

    private func row(_ number: Int, _ step: RecordedStep) -> String {
        let from = lanes.firstIndex(of: step.from) ?? 0
        let to = lanes.firstIndex(of: step.to) ?? 0
        let first = min(from, to)
        let span = max(from, to) - first
        let direction = from <= to ? "right" : "left"
        let back = step.received.isEmpty ? "" : "<i class=\"back\"></i>"
        let arrow = "<div class=\"lane \(direction)\" style=\"--first:\(first);--span:\(span)\"><i></i>\(back)</div>"
        let outcome = step.outcome.map { "<span class=\"outcome\">\($0.html)</span>" } ?? ""
        let details = [list("Sent", step.sent), list("Received", step.received)].joined()
        let summary = """
            <span class="way">\(step.from.title.html) → \(step.to.title.html)</span>
            <b>\(step.title.html)</b>\(outcome)
            """
        let text =
            details.isEmpty
            ? "<div class=\"plain\">\(summary)</div>"
            : "<details><summary>\(summary)</summary><div class=\"parts\">\(details)</div></details>"
        return """
            <li\(step.isFailure ? " class=\"failed\"" : "")><span class="number">\(number)</span>\(arrow)<div class="text">\(text)</div>\(time(step))</li>
            """
    }

    private func time(_ step: RecordedStep) -> String {
        guard let duration = step.duration, duration > .zero else { return "<span class=\"time\"></span>" }
        let share = longest > .zero ? duration / longest : 0
        let percent = max(1, Int((share * 100).rounded()))
        return "<span class=\"time\"><i style=\"width:\(percent)%\"></i>\(duration.readable)</span>"
    }

    private func list(_ title: String, _ parts: [RecordedPart]) -> String {
        let lists = parts.filter { !$0.fields.isEmpty }.map { part in
            let fields = part.fields.map { field in
                let value =
                    field.value.map { "<dd>\($0.html)</dd>" } ?? "<dd class=\"masked\">\(RecordedField.mask)</dd>"
                return "<dt style=\"--depth:\(field.depth)\">\(field.name.html)</dt>\(value)"
            }
            return "<h5>\(part.title.html)</h5><dl>\(fields.joined())</dl>"
        }
        return lists.isEmpty ? "" : "<section><h4>\(title)</h4>\(lists.joined())</section>"
    }
}
