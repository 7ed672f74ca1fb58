internal import FoundationEssentials

/// A folder of generated files.
///
/// Only files with the generator's mark are changed.
struct OutputFolder {
    let path: String

    /// The difference between the folder and the expected files.
    struct Difference {
        /// Files that are missing or have another text.
        var changed: [String] = []
        /// Generated files that are no longer needed.
        var stale: [String] = []

        var isEmpty: Bool { changed.isEmpty && stale.isEmpty }
    }

    func difference(from files: [String: String]) throws(GenerationFailure) -> Difference {
        var difference = Difference()
        for (name, text) in files.sorted(by: { $0.key < $1.key }) {
            let file = "\(path)/\(name)"
            guard FileManager.default.fileExists(atPath: file) else {
                difference.changed.append(name)
                continue
            }
            let present = try Files.text(file)
            guard Self.isGenerated(present) else {
                throw GenerationFailure(
                    kind: .refused,
                    messages: ["\(file) was not generated and would be overwritten. Move it, or choose another folder."]
                )
            }
            if !present.utf8.elementsEqual(text.utf8) { difference.changed.append(name) }
        }
        for name in try Files.names(in: path, suffix: ".swift") where files[name] == nil {
            if Self.isGenerated(try Files.text("\(path)/\(name)")) { difference.stale.append(name) }
        }
        return difference
    }

    func apply(_ difference: Difference, _ files: [String: String]) throws(GenerationFailure) {
        do {
            for name in difference.changed {
                let file = "\(path)/\(name)"
                let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
                    separator: "/"
                )
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try Data((files[name] ?? "").utf8).write(to: URL(filePath: file), options: .atomic)
            }
            for name in difference.stale { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }
        } catch {
            throw .usage("The folder \(path) could not be written: \(PlainText.line("\(error)"))")
        }
    }

    private static func isGenerated(_ text: String) -> Bool {
        text.split(separator: "\n", maxSplits: 3).prefix(3).contains { $0.utf8.elementsEqual(Emitter.mark.utf8) }
    }
}

/// Reads folders and files, with limits.
enum Files {
    private static let maximumBytes = 128 << 20

    static func bytes(_ path: String) throws(GenerationFailure) -> [UInt8] {
        let data: Data
        do { data = try Data(contentsOf: URL(filePath: path)) } catch {
            throw .usage("The file \(path) could not be read. Check that it exists and is readable.")
        }
        guard data.count <= maximumBytes else { throw .usage("The file \(path) is larger than 128 MiB.") }
        return Array(data)
    }

    static func text(_ path: String) throws(GenerationFailure) -> String {
        guard let text = String(validating: try bytes(path), as: UTF8.self) else {
            throw .usage("The file \(path) is not UTF-8.")
        }
        return text
    }

    /// The files in a folder with this suffix, as relative paths.
    ///
    /// A missing folder has none.
    static func names(in folder: String, suffix: String, depth: Int = 0) throws(GenerationFailure) -> [String] {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder, depth < 8 else {
            return []
        }
        let entries: [String]
        do { entries = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
            throw .usage("The folder \(folder) could not be read.")
        }
        var names: [String] = []
        for entry in entries.sorted() where !entry.hasPrefix(".") {
            let path = "\(folder)/\(entry)"
            var isInner = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isInner) else { continue }
            if isInner {
                names += try Self.names(in: path, suffix: suffix, depth: depth + 1).map { "\(entry)/\($0)" }
            } else if entry.hasSuffix(suffix) {
                names.append(entry)
            }
        }
        return names.sorted()
    }
}
