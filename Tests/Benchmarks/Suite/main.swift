internal import Foundation
internal import Yardsticks

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    switch arguments.first {
    case "serve": unsafe yardstick_serve(arguments[1])
    case "measure", "count": try await ChildProcess.serveParent(arguments)
    case "--help", "-h": Report.write(Options.help)
    case "--list": for row in rows { Report.write("\(row.name)  \(row.title)") }
    default: exit(try await Suite(try Options(arguments)).run() ? 0 : 1)
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(2)
}
