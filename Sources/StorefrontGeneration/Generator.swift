internal import GraphQLLanguage

package struct Generator: Sendable {
    let schema: GraphSchema
    var configuration = Configuration()
    /// `public`, `package` or `internal`.
    var access = "public"
    /// The modules of types from the option `--import`, by the types' names; they replace the configuration's `imports` of these types.
    var imports: [String: String] = [:]

    package struct Result: Sendable {
        /// The files' texts by their paths in the output folder; empty when there are errors.
        package let files: [String: String]
        /// The errors of `DocumentCheck`, then its warnings, each sorted by file and line; then the errors of `Planner`.
        package let diagnostics: [Diagnostic]

        package var isRefused: Bool { diagnostics.contains { $0.severity == .error } }
    }

    /// Generates Swift if the documents have no errors; throws if the configuration has a name that schema and documents do not use.
    package func run(_ sources: [SourceFile]) throws(GenerationFailure) -> Result {
        let check = DocumentCheck(sources, against: schema)
        guard !check.isRefused else { return Result(files: [:], diagnostics: check.diagnostics) }
        try configuration.check(schema, check.documents)
        var planner = Planner(schema, check.documents, configuration, deprecated: check.deprecated)
        let plan = planner.plan()
        let diagnostics = check.diagnostics + planner.diagnostics
        guard planner.diagnostics.isEmpty else { return Result(files: [:], diagnostics: diagnostics) }
        try configuration.check(usedTypes: planner.usedTypes)
        let modules = configuration.imports.merging(imports) { _, given in given }
        let emitter = Emitter(plan: plan, access: access, imports: modules)
        return Result(files: emitter.files(), diagnostics: diagnostics)
    }
}
