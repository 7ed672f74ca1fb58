internal import FoundationEssentials

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

    /// The files in a folder with this suffix, as relative paths; empty for a missing folder.
    ///
    /// Files and folders whose names begin with a dot, and folders more than 7 levels below, are skipped.
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
