internal import IdentityKit
internal import StoreFaults
internal import TestDoubles

/// A disk after a power loss: the changes that are certainly on it, and the changes that may be on it.
///
/// The content of a file is certain after the file was synchronized, and its name after its directory was. Of all later
/// writes any part may be present, in units of 512 bytes and in any order.
struct Disk {
    /// A change that a process made.
    enum Change: Sendable {
        case write(file: Int32, offset: Int, bytes: [UInt8])
        case truncate(file: Int32, length: Int)
        case sync(file: Int32)
        case name(String, file: Int32)
        case unname(String)
        case syncNames(directory: String)
        case mark(Int)

        /// Creates a change from a recorded call, with paths relative to a directory.
        init?(_ record: fault_record, _ root: String) {
            let bytes =
                unsafe record.data.map {
                    unsafe Array(UnsafeBufferPointer(start: $0, count: Int(record.count)))
                } ?? []
            let path = String(decoding: bytes, as: UTF8.self)
            let name = path.hasPrefix(root) ? String(path.dropFirst(root.count + 1)) : path
            switch unsafe UInt32(record.kind) {
            case RECORD_WRITE.rawValue:
                self = unsafe .write(file: record.file, offset: Int(record.offset), bytes: bytes)
            case RECORD_TRUNCATE.rawValue: self = unsafe .truncate(file: record.file, length: Int(record.offset))
            case RECORD_SYNC.rawValue: self = unsafe .sync(file: record.file)
            case RECORD_NAME.rawValue: self = unsafe .name(name, file: record.file)
            case RECORD_UNNAME.rawValue: self = .unname(name)
            case RECORD_SYNC_NAMES.rawValue: self = .syncNames(directory: name)
            case RECORD_MARK.rawValue: self = unsafe .mark(Int(record.offset))
            default: return nil
            }
        }
    }

    private static let sector = 512

    private var contents: [Int32: [UInt8]] = [:]
    private var pending: [Int32: [Change]] = [:]
    /// The number of each file by its name below the root; a directory has a negative number.
    private var names: [String: Int32] = [:]
    private var pendingNames: [Change] = []

    mutating func apply(_ change: Change) {
        switch change {
        case .write(let file, _, _), .truncate(let file, _): pending[file, default: []].append(change)
        case .sync(let file):
            for change in pending.removeValue(forKey: file) ?? [] {
                Self.apply(change, to: &contents[file, default: []])
            }
        case .name, .unname: pendingNames.append(change)
        case .syncNames(let directory):
            let due = pendingNames.filter { Self.directory(of: $0) == directory }
            pendingNames.removeAll { Self.directory(of: $0) == directory }
            for change in due { Self.apply(change, to: &names) }
        case .mark: break
        }
    }

    /// Writes one possible content of the disk, after a power loss at this moment, into a folder.
    func leave(in folder: Folder, _ generator: inout SeededGenerator) throws {
        try folder.empty()
        var names = names
        let fate = Fate(&generator)
        for change in pendingNames where fate.survives(&generator) { Self.apply(change, to: &names) }
        for (name, file) in names.sorted(by: { $0.key < $1.key }) {
            let parts = name.split(separator: "/")
            // A file is lost if the name of its directory is lost.
            if parts.count > 1, names[String(parts[0])] == nil { continue }
            guard file > 0 else {
                try folder.makeDirectory(name)
                continue
            }
            try folder.write(content(of: file, &generator), to: name)
        }
    }

    private func content(of file: Int32, _ generator: inout SeededGenerator) -> [UInt8] {
        var content = contents[file] ?? []
        let fate = Fate(&generator)
        for change in pending[file] ?? [] {
            switch change {
            case .write(_, let offset, let bytes):
                var start = 0
                while start < bytes.count {
                    // Up to the next sector boundary.
                    let end = min(bytes.count, start + Self.sector - (offset + start) % Self.sector)
                    if fate.survives(&generator) {
                        let part = Change.write(file: file, offset: offset + start, bytes: Array(bytes[start..<end]))
                        Self.apply(part, to: &content)
                    }
                    start = end
                }
            default: if fate.survives(&generator) { Self.apply(change, to: &content) }
            }
        }
        return content
    }

    private static func apply(_ change: Change, to content: inout [UInt8]) {
        switch change {
        case .write(_, let offset, let bytes):
            let end = offset + bytes.count
            if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
            content.replaceSubrange(offset..<end, with: bytes)
        case .truncate(_, let length):
            if length < content.count {
                content.removeSubrange(length...)
            } else {
                content += [UInt8](repeating: 0, count: length - content.count)
            }
        default: break
        }
    }

    private static func apply(_ change: Change, to names: inout [String: Int32]) {
        switch change {
        case .name(let name, let file): names[name] = file
        case .unname(let name): names[name] = nil
        default: break
        }
    }

    private static func directory(of change: Change) -> String {
        switch change {
        case .name(let name, _), .unname(let name):
            name.split(separator: "/").dropLast().joined(separator: "/")
        default: ""
        }
    }

    /// Which unsynchronized changes are present: none, all, or each part with a probability.
    private enum Fate {
        case nothing, everything, chance(Double)

        init(_ generator: inout SeededGenerator) {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: self = .nothing
            case 1: self = .everything
            default: self = .chance(Double.random(in: 0.02...0.98, using: &generator))
            }
        }

        func survives(_ generator: inout SeededGenerator) -> Bool {
            switch self {
            case .nothing: false
            case .everything: true
            case .chance(let chance): Double.random(in: 0..<1, using: &generator) < chance
            }
        }
    }
}
