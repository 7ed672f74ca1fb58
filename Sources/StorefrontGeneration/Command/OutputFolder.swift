internal import FoundationEssentials

/// A folder of generated files; only files with the generator's mark are overwritten or removed.
struct OutputFolder {
    let path: String

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
                    message: "\(file) has no comment of storefront-gen at its beginning, so it is not overwritten. "
                        + "Move the file, or choose another folder."
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
                let file = URL(filePath: "\(path)/\(name)")
                let folder = file.deletingLastPathComponent()
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try Data((files[name] ?? "").utf8).write(to: file, options: .atomic)
            }
            for name in difference.stale { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }
        } catch {
            throw .usage("The folder \(path) could not be updated completely: \(PlainText.line("\(error)"))")
        }
    }

    private static func isGenerated(_ text: String) -> Bool {
        text.split(separator: "\n", maxSplits: 3).prefix(3).contains { $0.utf8.elementsEqual(Emitter.mark.utf8) }
    }
}
