internal import GraphQLLanguage

struct DocumentCheck {
    let documents: GraphDocumentSet
    /// At most ``maximumDiagnostics``: the errors and then the warnings, each in the order of files and lines.
    let diagnostics: [Diagnostic]
    /// The coordinates of deprecated members, by the name of the operation or fragment that uses them.
    let deprecated: [String: Set<String>]

    static let maximumDiagnostics = GraphValidator.maximumViolations

    init(_ files: [SourceFile], against schema: GraphSchema) {
        var documents = GraphDocumentSet(requiresNames: true)
        var diagnostics: [Diagnostic] = []
        for file in files {
            do { documents.add(try file.parsed(), file: file.name) } catch { diagnostics.append(error) }
        }
        // With `@defer`, the response has several parts. `GraphQLExecutor` does not read such a response.
        var validator = GraphValidator(schema, documents, unsupportedDirectives: ["defer"])
        validator.run()
        // If a file has a syntax error, some violations are ignored: this file may define a fragment that seems missing, or use a fragment
        // or a variable that seems unused.
        let isComplete = diagnostics.isEmpty
        let violations = validator.violations.filter { isComplete || !$0.rule.dependsOnOtherFiles }
        diagnostics += violations.map { violation in
            Diagnostic(
                severity: .error,
                file: violation.file,
                location: violation.location,
                message: violation.rule.message(schema, documents)
            )
        }
        diagnostics += validator.deprecations.map { deprecation in
            Diagnostic(
                severity: .warning,
                file: deprecation.file,
                location: deprecation.location,
                message: "\(deprecation.coordinate) is deprecated: \(PlainText.line(deprecation.reason))"
            )
        }
        diagnostics.sort { Self.order($0) < Self.order($1) }
        self.documents = documents
        self.diagnostics = Array(diagnostics.prefix(Self.maximumDiagnostics))
        deprecated = validator.deprecatedCoordinates
    }

    private static func order(_ diagnostic: Diagnostic) -> (Int, String, Int, Int, String) {
        let (isWarning, place) = (diagnostic.severity == .warning, diagnostic.location)
        return (isWarning ? 1 : 0, diagnostic.file, place?.line ?? 0, place?.column ?? 0, diagnostic.message)
    }

    var isRefused: Bool { diagnostics.contains { $0.severity == .error } }
}

extension GraphRule {
    /// Whether the correction of another file, which could not be parsed, may remove this violation.
    fileprivate var dependsOnOtherFiles: Bool {
        switch self {
        case .undefinedFragment, .unusedFragment, .unusedVariable: true
        default: false
        }
    }
}
