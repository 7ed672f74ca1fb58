internal import GraphQLLanguage
internal import IdentityKit

/// The contents of `generator.json` in the folder of documents; all members are optional.
package struct Configuration: Sendable {
    /// Whether an operation may be repeated after an unknown outcome (`always`, `once`, `afterReading` or `never`), by the operation's
    /// name.
    var repetition: [String: String] = [:]
    /// Whether an operation's responses belong to one buyer, by the operation's name.
    var isPersonal: [String: Bool] = [:]
    /// The Swift types of fields, by `Type.field`.
    var types: [String: String] = [:]
    /// The Swift types of variables, by name or by `Operation.name`.
    var variables: [String: String] = [:]
    var scalars: [String: String] = [:]
    /// The Swift names of enums, input objects and fragments, by their GraphQL names.
    var names: [String: String] = [:]
    /// Types of the schema, fragments and operations whose Swift types do not print their contents.
    var redacted: Set<String> = []
    /// The response keys of each shared type, by the type's name; only selections with exactly these keys use the type.
    var payloads: [String: [String]] = [:]
    /// Swift types that exist already, hand-written or imported.
    var provided: Set<String> = []
    /// Fragments and input objects that are `Equatable`.
    var equatable: Set<String> = []
    /// The modules of types in `types`, `variables`, `scalars` and `provided`, by the types' names.
    var imports: [String: String] = [:]
    /// Whether the schema's descriptions become comments.
    var descriptions = false
    /// How many leaf fields an inline selection may have if the documents repeat it; with more, it must become a fragment.
    var maximumDuplicatedFields = 8

    package init() {}

    private static let members = [
        "repetition", "isPersonal", "types", "variables", "scalars", "names", "redacted", "payloads", "provided",
        "equatable", "imports", "descriptions", "maximumDuplicatedFields",
    ]

    package init(parsing bytes: [UInt8]) throws(GenerationFailure) {
        let value: JSONValue
        do { value = try JSONValue(parsing: bytes) } catch {
            throw .usage("generator.json could not be read as JSON: \(error).")
        }
        guard let object = value.object else { throw .usage("generator.json must be a JSON object.") }
        do throws(IdentityError) {
            try read(object)
        } catch {
            throw .usage("generator.json: \(PlainText.line(error.message))")
        }
    }

    private mutating func read(_ object: JSONObject) throws(IdentityError) {
        var file = ConfigurationSection(path: "", object: object, environmentVariables: [:])
        func list(_ name: String) throws(IdentityError) -> Set<String> {
            // `ConfigurationSection` rejects an empty list. In generator.json an empty list means the same as a missing one.
            object[name]?.array?.isEmpty == true ? [] : Set(try file.optionalStrings(name) ?? [])
        }
        try file.check(members: Self.members)
        repetition = try file.texts("repetition")
        for (name, word) in repetition where !["always", "once", "afterReading", "never"].contains(word) {
            throw file.error("repetition.\(name)", "must be always, once, afterReading or never")
        }
        types = try file.texts("types")
        variables = try file.texts("variables")
        scalars = try file.texts("scalars")
        names = try file.texts("names")
        redacted = try list("redacted")
        provided = try list("provided")
        equatable = try list("equatable")
        imports = try file.texts("imports")
        if var section = try file.optionalSection("isPersonal") {
            for name in section.memberNames { isPersonal[name] = try section.bool(name, default: false) }
        }
        if var section = try file.optionalSection("payloads") {
            for name in section.memberNames { payloads[name] = try section.optionalStrings(name) }
        }
        for (member, texts) in [
            ("types", Set(types.values)), ("variables", Set(variables.values)), ("scalars", Set(scalars.values)),
            ("names", Set(names.values)), ("provided", provided), ("payloads", Set(payloads.keys)),
            ("imports", Set(imports.keys).union(imports.values)),
        ] {
            for text in texts.sorted() where !SwiftNames.isTypeName(text) {
                throw file.error(member, "contains \"\(text)\", which is not a valid Swift name")
            }
        }
        descriptions = try file.bool("descriptions", default: descriptions)
        let maximum = try file.optionalInteger("maximumDuplicatedFields", in: 1...1_000)
        maximumDuplicatedFields = maximum ?? maximumDuplicatedFields
    }

    /// Rejects names that occur in neither the schema nor the documents, because a misspelled name would have no effect.
    func check(_ schema: GraphSchema, _ documents: GraphDocumentSet) throws(GenerationFailure) {
        let operations = Set(documents.operations.compactMap(\.definition.name))
        let types = Set(schema.types.keys)
        let fragments = Set(documents.fragments.keys)
        let variables = documents.operations.flatMap { operation in
            operation.definition.variables.flatMap { [$0.name, "\(operation.definition.name ?? "").\($0.name)"] }
        }
        for (member, kind, names, known) in [
            ("repetition", "operation", Set(repetition.keys), operations),
            ("isPersonal", "operation", Set(isPersonal.keys), operations),
            ("variables", "variable", Set(self.variables.keys), Set(variables)),
            ("scalars", "type", Set(scalars.keys), types),
            ("names", "type or fragment", Set(names.keys), types.union(fragments)),
            (
                "redacted or equatable", "type, fragment or operation", redacted.union(equatable),
                operations.union(fragments).union(types)
            ),
        ] {
            for name in names.subtracting(known).sorted() { throw unknown(member, kind, name, known.sorted()) }
        }
        for coordinate in self.types.keys.sorted() {
            let parts = coordinate.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else {
                throw .usage("generator.json: types: \"\(PlainText.line(coordinate))\" must have the form Type.field.")
            }
            guard schema.types[parts[0]]?.field(parts[1]) != nil else {
                let fields = schema.types[parts[0]]?.fields.map { "\(parts[0]).\($0.name)" }
                throw unknown("types", "field", coordinate, fields ?? types.sorted())
            }
        }
        let used = provided.union([self.types, self.variables, scalars].flatMap(\.values))
        let parts = used.flatMap { $0.split(separator: ".").map(String.init) }
        for name in imports.keys.sorted() where !parts.contains(name) {
            let hint = Suggestion.text(for: name, among: parts.sorted())
            throw .usage(
                "generator.json: imports: \"\(name)\" is not in types, variables, scalars or provided.\(hint)"
            )
        }
    }

    func check(usedTypes: Set<String>) throws(GenerationFailure) {
        for name in payloads.keys.sorted() where !usedTypes.contains(name) {
            throw .usage("generator.json: payloads: no selection has exactly the fields of \"\(name)\".")
        }
        for name in provided.sorted() where !usedTypes.contains(name) {
            let hint = Suggestion.text(for: name, among: usedTypes.sorted())
            throw .usage("generator.json: provided: storefront-gen would generate no type \"\(name)\" anyway.\(hint)")
        }
    }

    private func unknown(
        _ member: String,
        _ kind: String,
        _ name: String,
        _ candidates: [String]
    ) -> GenerationFailure {
        let hint = Suggestion.text(for: name, among: candidates)
        return .usage("generator.json: \(member): there is no \(kind) \"\(PlainText.line(name))\".\(hint)")
    }
}

extension ConfigurationSection {
    fileprivate mutating func texts(_ name: String) throws(IdentityError) -> [String: String] {
        guard var section = try optionalSection(name) else { return [:] }
        var texts: [String: String] = [:]
        for name in section.memberNames { texts[name] = try section.string(name) }
        return texts
    }
}
