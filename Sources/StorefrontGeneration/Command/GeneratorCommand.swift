internal import FoundationEssentials
internal import GraphQLLanguage

package struct GeneratorCommand {
    package struct Output {
        package var lines: [String] = []
        package var errors: [String] = []

        package init() {}
    }

    package static let help = """
        storefront-gen writes Swift types for GraphQL operations.

        storefront-gen generate --schema FILE --documents FOLDER --output FOLDER [options]
            Checks the .graphql files of a folder against a schema and writes Swift for them. Files of an earlier run that
            are no longer needed are removed. Files that storefront-gen did not write are never changed. The file
            generator.json in the folder of documents contains further settings: Documentation/Using/Generator.md.

            --schema FILE         The response to the introspection query, as JSON.
            --extend FILE         Types and fields that the schema lacks, in GraphQL's definition language.
            --documents FOLDER    .graphql files, in this folder and up to 7 levels below it.
            --output FOLDER       The Swift files, in folders Operations, Fragments, Inputs and Enums.
            --access LEVEL        public (the default), package or internal.
            --import TYPE=MODULE  The module that a type of generator.json comes from; may be repeated.
            --check               Writes nothing, and fails when the output is not up to date.
            --deny-deprecated     Treats the use of deprecated fields, arguments and enum values as an error.
            --verbose             Prints what was done.

        storefront-gen introspection-query
            Prints the request body of the introspection query, whose response is the file for --schema.

        storefront-gen --help

        Exit status: 0 done; 1 the documents are refused, the output is not up to date or would overwrite another file, or
        standard output could not be written; 2 usage or configuration.
        """

    private var options: [String: String] = [:]
    private var imports: [String: String] = [:]
    private var flags: Set<String> = []

    private static let valued = ["--schema", "--extend", "--documents", "--output", "--access", "--import"]
    private static let flagged = ["--check", "--deny-deprecated", "--verbose"]

    /// Returns the exit status; `arguments` do not contain the program's name.
    package static func run(_ arguments: [String], _ output: inout Output) -> Int32 {
        do {
            if arguments.first == "help" || arguments.contains(where: ["--help", "-h"].contains) {
                output.lines.append(help)
                return 0
            }
            switch arguments.first {
            case "introspection-query":
                guard arguments.count == 1 else {
                    throw GenerationFailure.usage("introspection-query takes no options.")
                }
                output.lines.append(IntrospectionQuery.requestBody)
                return 0
            case "generate":
                var command = GeneratorCommand()
                try command.parse(arguments.dropFirst())
                return try command.generate(&output)
            case let other?:
                throw GenerationFailure.usage("There is no command \"\(PlainText.line(other))\". See --help.")
            case nil:
                throw GenerationFailure.usage(
                    "The command is missing: use generate or introspection-query. See --help."
                )
            }
        } catch let failure as GenerationFailure {
            output.errors.append("storefront-gen: \(failure.message)")
            return failure.kind == .usage ? 2 : 1
        } catch {
            output.errors.append("storefront-gen: \(PlainText.line("\(error)"))")
            return 2
        }
    }

    private mutating func parse(_ arguments: ArraySlice<String>) throws(GenerationFailure) {
        var rest = arguments
        while let argument = rest.popFirst() {
            if Self.flagged.contains(argument) {
                flags.insert(argument)
            } else if Self.valued.contains(argument) {
                guard let value = rest.popFirst(), !value.hasPrefix("--") else {
                    throw .usage("\(argument) needs a value.")
                }
                if argument == "--import" {
                    let parts = value.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
                    guard parts.count == 2, parts.allSatisfy(SwiftNames.isTypeName) else {
                        throw .usage("--import takes a type and its module: --import CustomerAccessToken=IdentityKit")
                    }
                    imports[parts[0]] = parts[1]
                } else if options.updateValue(value, forKey: argument) != nil {
                    throw .usage("\(argument) is given twice.")
                }
            } else {
                let hint = Suggestion.text(for: argument, among: Self.valued + Self.flagged)
                throw .usage("There is no option \"\(PlainText.line(argument))\".\(hint)")
            }
        }
    }

    private func required(_ name: String) throws(GenerationFailure) -> String {
        guard let value = options[name] else { throw .usage("\(name) is missing. See --help.") }
        return value
    }

    private func extended(_ schema: GraphSchema, by text: String) throws(GenerationFailure) -> GraphSchema {
        func place(_ location: GraphLocation) -> String {
            "The --extend file, line \(location.line), column \(location.column)"
        }
        do { return try schema.extended(by: text) } catch {
            switch error {
            case .syntax(let error): throw .usage("\(place(error.location)): \(error.message).")
            case .extendsUndefinedType(let name, let location):
                throw .usage(
                    "\(place(location)), extends \(name), which neither the schema nor an earlier line of the file defines."
                )
            case .extendsOtherKind(let name, let location, let keyword):
                throw .usage("\(place(location)), extends \(name) as another kind. Use \"extend \(keyword) \(name)\".")
            case .refersToUndefinedType(let name, let type):
                throw .usage(
                    "In the --extend file, \(type) refers to \(name), which neither the schema nor the file defines."
                )
            }
        }
    }

    private func generate(_ output: inout Output) throws(GenerationFailure) -> Int32 {
        let folder = try required("--documents")
        let target = OutputFolder(path: try required("--output"))
        let access = options["--access"] ?? "public"
        guard ["public", "package", "internal"].contains(access) else {
            throw .usage("--access must be public, package or internal.")
        }
        var schema = try GraphSchema(introspection: try Files.bytes(try required("--schema")))
        if let file = options["--extend"] { schema = try extended(schema, by: try Files.text(file)) }
        let names = try Files.names(in: folder, suffix: ".graphql")
        guard !names.isEmpty else { throw .usage("There is no folder \(folder), or it has no .graphql files.") }
        guard names.count <= SourceFile.maximumCount else {
            throw .usage("There are more than \(SourceFile.maximumCount) .graphql files in \(folder).")
        }
        let sources = try names.map { name throws(GenerationFailure) in
            SourceFile(name: name, text: try Files.text("\(folder)/\(name)"))
        }
        var configuration = Configuration()
        let file = "\(folder)/generator.json"
        if FileManager.default.fileExists(atPath: file) {
            configuration = try Configuration(parsing: try Files.bytes(file))
        }
        let generator = Generator(schema: schema, configuration: configuration, access: access, imports: imports)
        let result = try generator.run(sources)
        output.errors += result.diagnostics.map { "\(folder)/\($0)" }
        if result.isRefused { return 1 }
        if flags.contains("--deny-deprecated"), !result.diagnostics.isEmpty {
            output.errors.append(
                "storefront-gen: Nothing was written, because the documents use the deprecated members above."
            )
            return 1
        }
        let difference = try target.difference(from: result.files)
        if flags.contains("--check") {
            output.errors += difference.changed.map { "\(target.path)/\($0): error: the file is not up to date" }
            output.errors += difference.stale.map { "\(target.path)/\($0): error: the file is no longer needed" }
            if !difference.isEmpty {
                output.errors.append("storefront-gen: Run storefront-gen without --check and commit the changed files.")
                return 1
            }
        } else {
            try target.apply(difference, result.files)
        }
        if flags.contains("--verbose") {
            let word = flags.contains("--check") ? "up to date" : "\(difference.changed.count) written"
            output.lines.append(
                "\(names.count) documents, \(result.files.count) files: \(word), \(difference.stale.count) removed"
            )
        }
        return 0
    }
}
