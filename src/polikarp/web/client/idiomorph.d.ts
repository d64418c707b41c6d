declare module "idiomorph/dist/idiomorph.esm.js" {
  export const Idiomorph: {
    morph(
      old: Element,
      fresh: Node,
      options: {
        morphStyle: "innerHTML" | "outerHTML";
        ignoreActiveValue?: boolean;
        callbacks?: {
          beforeNodeMorphed?: (old: Node, fresh: Node) => boolean;
          beforeAttributeUpdated?: (name: string, node: Element, change: "update" | "remove") => boolean;
        };
      },
    ): Node[];
  };
}
