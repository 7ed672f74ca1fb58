import Foundation
import TestGuides

/// Checks GraphQL documents against the published schemas with the script in `Tests/Support/Schemas`, which needs Python's graphql-core.
enum SchemaCheck {
    struct Report {
        let isValid: Bool
        let text: String
    }

    static func run(_ documents: [String: String], schemas: String) throws -> Report {
        let script = Repository.root.appending(path: "Tests/Support/Schemas/validate.py")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path, schemas]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(documents))
        try input.fileHandleForWriting.close()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        // Reads the output instead of the exit status, because Foundation misses the end of one of many processes.
        return Report(isValid: text.contains("\(documents.count) documents") && text.contains("; 0 faults"), text: text)
    }
}
