import IdentityDevelopmentServer

/// The server under the shop; the packages of other servers in Examples/ have a type of this name and run the same tests.
typealias StageServer = DevelopmentServer
