internal import GraphQLLanguage

/// Generates Swift from documents: checks, plans, writes.
package struct Generator: Sendable {
    let schema: GraphSchema
    var configuration = Configuration()
    /// `public`, `package` or `internal`.
    var access = "public"
    /// The modules of types from the option `--import`, by the types' names.
    ///
    /// They replace the configuration's `imports` of the same types.
    var imports: [String: String] = [:]

    package struct Result: Sendable {
        /// The files' texts by their paths in the output folder; empty when there are errors.
        package let files: [String: String]
        /// The diagnostics of the check, and then the errors of the planning.
        ///
        /// Of the check's diagnostics, the errors come before the warnings, each in the order of files and lines.
        package let diagnostics: [Diagnostic]

        package var isRefused: Bool { diagnostics.contains { $0.severity == .error } }
    }

    /// Checks the documents, and generates Swift if they have no errors.
    ///
    /// - Throws: `GenerationFailure` if the configuration contains a name that the schema and the documents do not have or do not use.
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
