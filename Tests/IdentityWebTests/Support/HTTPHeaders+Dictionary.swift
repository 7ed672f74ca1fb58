import IdentityHTTP

extension HTTPHeaders {
    init(_ fields: [String: String]) throws {
        self.init()
        for (name, value) in fields { try append(name, value) }
    }
}
