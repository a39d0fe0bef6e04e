// Rules about cohesion, on the syntax of a source file: how many functions an options interface passes in, and how many
// public members a class has.
import ts from "typescript";

/** A declaration with more members than the rule allows. */
export interface LargeDeclaration {
  readonly name: string;
  readonly count: number;
}

/** An interface with more functions than this is a set of callbacks into its caller. */
const maxOptionFunctions = 4;
/** A class with more public members than this has more than one reason to change. */
const maxPublicMembers = 20;

const parse = (text: string): ts.SourceFile => ts.createSourceFile("file.ts", text, ts.ScriptTarget.Latest, true);

/** The options interfaces that have more than maxOptionFunctions functions of their own. */
export function interfacesOfCallbacks(text: string): readonly LargeDeclaration[] {
  return parse(text).statements.flatMap(statement => {
    if (!ts.isInterfaceDeclaration(statement) || !/(Options|Sources)$/.test(statement.name.text)) return [];
    const count = statement.members.filter(isFunction).length;
    return count > maxOptionFunctions ? [{ name: statement.name.text, count }] : [];
  });
}

const isFunction = (member: ts.TypeElement): boolean =>
  ts.isMethodSignature(member) ||
  (ts.isPropertySignature(member) && member.type !== undefined && isFunctionType(member.type));

/** Also a function that may be absent or wrapped in parentheses. */
function isFunctionType(type: ts.TypeNode): boolean {
  if (ts.isParenthesizedTypeNode(type)) return isFunctionType(type.type);
  if (ts.isUnionTypeNode(type)) return type.types.some(isFunctionType);
  return ts.isFunctionTypeNode(type);
}

/** The classes that have more than maxPublicMembers public members of their own. A getter and its setter are one. */
export function classesOfManyMembers(text: string): readonly LargeDeclaration[] {
  return parse(text).statements.flatMap(statement => {
    if (!ts.isClassDeclaration(statement) || !statement.name) return [];
    const names = statement.members.filter(isPublic).map(({ name }) => name?.getText() ?? "");
    const count = new Set(names).size;
    return count > maxPublicMembers ? [{ name: statement.name.text, count }] : [];
  });
}

function isPublic(member: ts.ClassElement): boolean {
  if (ts.isConstructorDeclaration(member) || member.name === undefined || ts.isPrivateIdentifier(member.name))
    return false;
  const modifiers = ts.canHaveModifiers(member) ? (ts.getModifiers(member) ?? []) : [];
  return !modifiers.some(
    ({ kind }) => kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.ProtectedKeyword,
  );
}
