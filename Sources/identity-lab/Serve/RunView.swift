/// The data of a run that the page shows.
struct RunView: Sendable {
    var title: String
    var provider: String
    var entry: ServedRun.Entry
    var phase: ServedRun.Phase
    var notice: String
    var isError: Bool
    var facts: ApproachFacts
    var steps: [RecordedStep]
    /// A number that grows with each change.
    var revision: Int
}
